//! Templates to try.

use turnwise_drill_templates::{Fault, Template};

pub fn template(id: &str, parameters: &[&str], conditions: &[&str]) -> Template {
    let mut template = Template::new(id);
    for parameter in parameters {
        template.parameter(parameter).unwrap();
    }
    for condition in conditions {
        template.condition(condition).unwrap();
    }
    template
}

/// A text of the instance with seed 0.
pub fn shown(parameters: &[&str], text: &str) -> Result<String, Fault> {
    let template = template("T", parameters, &[]);
    let text = template.text(text).unwrap();
    text.write(&template.values(0)?)
}
