//! The suite's contracts: generated messages, clients and servers, what each error reason means to gRPC, and what
//! a student can read of a reply.
//!
//! The `.proto` files are the product; read them first.

// Generated code keeps the style of its generator; its documentation comes from the protos.
#![allow(missing_docs, clippy::doc_markdown, clippy::large_enum_variant)]

mod error_reason;
mod escalation;
pub mod readable;

/// Shared by all services.
pub mod common {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.common.v1");
    }
}
/// The public face.
pub mod tutor {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.tutor.v1");
    }
}
/// What messages wait for.
pub mod context {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.context.v1");
    }
}
/// The homework helper.
pub mod helper {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.helper.v1");
    }
}
/// Help with procedures.
pub mod procedure {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.procedure.v1");
    }
}
/// What a student already knows of a course.
pub mod placement {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.placement.v1");
    }
}
/// What a class is set to, and what calls for help in it.
pub mod classes {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.classes.v1");
    }
}
/// Classes and students' records: for teachers, staff and platforms.
pub mod school {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.school.v1");
    }
}
/// State.
pub mod session {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.session.v1");
    }
}
/// Decisions.
pub mod policy {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.policy.v1");
    }
}
/// Why turns went as they did.
pub mod explain {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.explain.v1");
    }
}
/// Search.
pub mod retrieval {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.retrieval.v1");
    }
}
/// Models.
pub mod llm {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.llm.v1");
    }
}
/// The exam system.
pub mod exam {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("turnwise.exam.v1");
    }
}

/// The encoded descriptor set of all protos, with imports and comments, for reflection and for documentation checks.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/turnwise.bin"));
