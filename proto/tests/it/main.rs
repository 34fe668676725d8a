//! The contract as a whole: every part is commented and every service is there.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet};

fn ours() -> Vec<FileDescriptorProto> {
    let set = FileDescriptorSet::decode(proto::FILE_DESCRIPTOR_SET).expect("the built set decodes");
    set.file
        .into_iter()
        .filter(|file| file.package().starts_with("brouhaha."))
        .collect()
}

/// Paths (as in `SourceCodeInfo`) of everything that must carry a comment, with its name for the failure message.
fn parts(file: &FileDescriptorProto) -> Vec<(Vec<i32>, String)> {
    let mut parts = Vec::new();
    for (message, i) in file.message_type.iter().zip(0..) {
        // Nested types occur only as the entries that the compiler makes for maps.
        parts.push((vec![4, i], message.name().to_owned()));
        for (field, j) in message.field.iter().zip(0..) {
            parts.push((
                vec![4, i, 2, j],
                format!("{}.{}", message.name(), field.name()),
            ));
        }
        for (oneof, j) in message.oneof_decl.iter().zip(0..) {
            // The compiler makes a oneof, named with `_`, for every `optional` field.
            if !oneof.name().starts_with('_') {
                parts.push((
                    vec![4, i, 8, j],
                    format!("{}.{}", message.name(), oneof.name()),
                ));
            }
        }
    }
    for (kind, i) in file.enum_type.iter().zip(0..) {
        parts.push((vec![5, i], kind.name().to_owned()));
        for (value, j) in kind.value.iter().zip(0..) {
            parts.push((vec![5, i, 2, j], value.name().to_owned()));
        }
    }
    for (service, i) in file.service.iter().zip(0..) {
        parts.push((vec![6, i], service.name().to_owned()));
        for (method, j) in service.method.iter().zip(0..) {
            parts.push((
                vec![6, i, 2, j],
                format!("{}.{}", service.name(), method.name()),
            ));
        }
    }
    parts
}

#[test]
fn every_message_field_value_and_method_is_commented() {
    let mut checked = 0;
    for file in ours() {
        let info = file
            .source_code_info
            .clone()
            .expect("source info is kept for reflection clients");
        for (path, name) in parts(&file) {
            let comment = info
                .location
                .iter()
                .find(|at| at.path == path)
                .and_then(|at| at.leading_comments.clone());
            assert!(
                comment.is_some_and(|text| !text.trim().is_empty()),
                "{}: {name} has no comment",
                file.name()
            );
            checked += 1;
        }
    }
    assert!(checked > 300, "only {checked} parts were looked at");
}

#[test]
fn the_services_of_the_design_are_there() {
    let mut services: Vec<String> = ours()
        .iter()
        .flat_map(|file| {
            file.service
                .iter()
                .map(|service| format!("{}.{}", file.package(), service.name()))
        })
        .collect();
    services.sort();
    let expected = [
        "Analysis",
        "Engine",
        "Rating",
        "Tournament",
        "Tuning",
        "Variant",
        "Worker",
    ];
    assert_eq!(
        services,
        expected.map(|name| format!("brouhaha.v1.{name}Service"))
    );
}
