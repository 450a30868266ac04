//! The contracts are documented as a product.

use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorSet};
use turnwise_proto::DESCRIPTORS;

/// Paths of everything in a file that needs a comment, each with a name to report. A path is the numbers of fields in
/// `descriptor.proto`, with indexes between.
#[derive(Default)]
struct Parts(Vec<(Vec<i32>, String)>);

impl Parts {
    fn add(&mut self, path: &[i32], name: String) {
        self.0.push((path.to_vec(), name));
    }

    fn message(&mut self, path: &[i32], parent: &str, message: &DescriptorProto) {
        // The entries of a map are made by the compiler.
        if message.options.as_ref().is_some_and(|o| o.map_entry()) {
            return;
        }
        let name = format!("{parent}.{}", message.name());
        self.add(path, name.clone());
        for (i, field) in (0..).zip(&message.field) {
            self.add(
                &[path, &[2, i]].concat(),
                format!("{name}.{}", field.name()),
            );
        }
        for (i, nested) in (0..).zip(&message.nested_type) {
            self.message(&[path, &[3, i]].concat(), &name, nested);
        }
        for (i, nested) in (0..).zip(&message.enum_type) {
            self.enumeration(&[path, &[4, i]].concat(), &name, nested);
        }
    }

    fn enumeration(&mut self, path: &[i32], parent: &str, of: &EnumDescriptorProto) {
        let name = format!("{parent}.{}", of.name());
        self.add(path, name.clone());
        for (i, value) in (0..).zip(&of.value) {
            self.add(
                &[path, &[2, i]].concat(),
                format!("{name}.{}", value.name()),
            );
        }
    }
}

#[test]
fn every_part_of_a_contract_is_documented() {
    let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    let mut count = 0;
    let mut bare = Vec::new();
    for file in &set.file {
        if !file.name().starts_with("turnwise/") {
            continue;
        }
        let mut parts = Parts::default();
        for (i, message) in (0..).zip(&file.message_type) {
            parts.message(&[4, i], file.package(), message);
        }
        for (i, of) in (0..).zip(&file.enum_type) {
            parts.enumeration(&[5, i], file.package(), of);
        }
        for (i, service) in (0..).zip(&file.service) {
            parts.add(&[6, i], service.name().to_owned());
            for (j, method) in (0..).zip(&service.method) {
                let name = format!("{}.{}", service.name(), method.name());
                parts.add(&[6, i, 2, j], name);
            }
        }
        let locations = &file.source_code_info.as_ref().unwrap().location;
        for (path, name) in parts.0 {
            let location = locations.iter().find(|location| location.path == path);
            let comment = location.map_or("", |location| location.leading_comments());
            count += 1;
            if comment.trim().is_empty() {
                bare.push(format!("{}: {name}", file.name()));
            }
        }
    }
    assert!(count > 500, "the descriptors hold the contracts: {count}");
    assert!(bare.is_empty(), "without a comment:\n{}", bare.join("\n"));
}
