//! Who may call what: every RPC of the public port by everybody, held against the table of `access`, of which
//! `docs/access.md` is made. Run with `UPDATE_DOCS=1` to make it again.

use std::{fmt::Write, fs, path::Path};

use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use prost_types::FileDescriptorSet;
use tonic::{
    Code, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    service::Routes,
};
use turnwise_gateway_svc::{
    SERVICE_NAMES, Upstreams,
    access::{Access, RESET_KEY, ROLES, TABLE, TEACHER},
    routes,
};
use turnwise_kit::{
    CallContext, Caller, Kit,
    client::{ClientOptions, GrpcClient, local},
};

use crate::limits::settings;

/// The class that every call names.
const CLASS: &str = "7b";

/// Every RPC of the public port: service, method, and the first line of its description.
fn rpcs() -> Vec<(String, String)> {
    let set = FileDescriptorSet::decode(turnwise_proto::DESCRIPTORS).unwrap();
    let mut rpcs = Vec::new();
    for name in SERVICE_NAMES {
        let found = set.file.iter().flat_map(|file| {
            let package = file.package().to_owned();
            let named = move |service: &&prost_types::ServiceDescriptorProto| {
                format!("{package}.{}", service.name()) == *name
            };
            file.service.iter().filter(named)
        });
        for service in found {
            for method in &service.method {
                rpcs.push(((*name).to_owned(), method.name().to_owned()));
            }
        }
    }
    rpcs
}

/// A gateway without upstream services: whoever passes the door meets somebody who implements nothing.
async fn gateway() -> Routes {
    let nobody = || -> GrpcClient {
        let options = ClientOptions {
            peer: "nobody",
            token: None,
        };
        local(Routes::default(), options)
    };
    let upstreams = Upstreams::new(nobody(), nobody(), nobody(), nobody(), None);
    let kit = Kit::for_tests();
    let settings = settings(&["--helper-internal-reset-timeout-seconds=0"]);
    routes(&settings, upstreams, &kit).await.unwrap().prepare()
}

fn caller(role: &str, class: &str) -> Caller {
    Caller {
        tenant: "default".to_owned(),
        subject: "somebody".to_owned(),
        role: role.to_owned(),
        groups: vec![class.to_owned()],
    }
}

/// Calls; every request of ClassService has the class in its first field.
async fn call(gateway: &Routes, path: &str, caller: Caller) -> Code {
    let mut message = Vec::new();
    if path.contains("ClassService") {
        message.extend([0x0a, CLASS.len() as u8]);
        message.extend(CLASS.as_bytes());
    }
    let request = CallContext::default()
        .on_behalf_of(caller)
        .request(Bytes::from(message));
    let mut grpc = Grpc::new(gateway.clone());
    grpc.ready().await.unwrap();
    let answer = grpc
        .server_streaming(request, path.parse().unwrap(), BytesCodec)
        .await;
    match answer {
        Err(status) => status.code(),
        Ok(answer) => match answer.into_inner().message().await {
            Ok(_) => Code::Ok,
            Err(status) => status.code(),
        },
    }
}

#[test]
fn every_rpc_has_a_line_and_every_line_an_rpc() {
    let rpcs = rpcs();
    for (service, method) in &rpcs {
        assert!(Access::to(service, method).is_some(), "{service}/{method}");
    }
    for line in TABLE {
        let is_used = rpcs
            .iter()
            .any(|(service, method)| Access::to(service, method) == Some(line));
        assert!(is_used, "{line:?}");
    }
}

#[tokio::test]
async fn the_door_lets_in_whom_the_table_names() {
    let gateway = gateway().await;
    for (service, method) in rpcs() {
        let line = Access::to(&service, &method).unwrap();
        let path = format!("/{service}/{method}");
        for role in ROLES.into_iter().chain([RESET_KEY, "", "admin", "Staff"]) {
            for class in [CLASS, "8a"] {
                let found = call(&gateway, &path, caller(role, class)).await;
                let names_class = service.contains("ClassService");
                let foreign = names_class && role == TEACHER && class != CLASS;
                let may = match role {
                    RESET_KEY => line.reset_key,
                    role => line.roles.contains(&role) && !foreign,
                };
                assert_eq!(
                    found != Code::PermissionDenied,
                    may,
                    "{path} as {role} of {class}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn the_docs_are_made_of_the_table() {
    let mut text = String::from(
        "# Who may call what\n\nMade of `gateway-svc/src/access.rs` by `UPDATE_DOCS=1 cargo test -p turnwise-gateway-svc`. \
         Role, tenant and classes are the token's. Whoever is not named gets PERMISSION_DENIED. Nobody reaches anything of \
         another tenant: its ids are unknown there.\n\n- **teacher**: only for the classes that the token names.\n- **reset \
         key**: whoever shows HELPER_INTERNAL_API_TOKEN; for classes of the tenant `default`.\n- Health and reflection \
         need no token.\n",
    );
    for name in SERVICE_NAMES {
        write!(
            text,
            "\n## {}\n\n| RPC | student | teacher | staff | service | reset key |\n| --- | --- | --- | --- | --- | --- |\n",
            name.rsplit('.').next().unwrap()
        )
        .unwrap();
        for (_, method) in rpcs().iter().filter(|(service, _)| service == name) {
            let line = Access::to(name, method).unwrap();
            write!(text, "| {method} |").unwrap();
            for role in ROLES {
                let may = if line.roles.contains(&role) {
                    " yes |"
                } else {
                    " |"
                };
                text.push_str(may);
            }
            text.push_str(if line.reset_key { " yes |\n" } else { " |\n" });
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/access.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "docs/access.md is out of date: run with UPDATE_DOCS=1"
    );
}

struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
