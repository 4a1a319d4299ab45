//! Conversations from elsewhere: exports of ChatGPT and the session files of Claude Code.
//!
//! A conversation becomes one node whose texts are its messages, in order, with who said
//! them and when. What tools were called with, and what they answered, is left out.

use lore_core::{Provenance, Result, Timestamp};
use serde_json::Value;

use super::super::kinds::MESSAGE;
use super::super::pen::name_from;
use super::{Load, Passage, Record, not_readable};

/// Namespace and type of what is imported here.
const CONVERSATIONS: &str = "conversations";
const CONVERSATION: &str = "conversation";
/// How much of the first message makes a name, in characters.
const NAME_LETTERS: usize = 80;

/// Reads `conversations.json` of a ChatGPT export.
pub fn chatgpt(text: &str) -> Result<Load> {
    let all: Vec<Value> =
        serde_json::from_str(text).map_err(|error| not_readable("the export", error))?;
    let mut load = Load { label: "chatgpt".into(), ..Load::default() };
    for conversation in &all {
        match chatgpt_conversation(conversation) {
            Some(record) => load.records.push(record),
            None => load.unreadable += 1,
        }
    }
    Ok(load)
}

fn chatgpt_conversation(conversation: &Value) -> Option<Record> {
    let text = |key: &str| conversation.get(key).and_then(Value::as_str);
    let id = text("conversation_id").or_else(|| text("id"))?;
    let mapping = conversation.get("mapping")?.as_object()?;
    // The branch that was last looked at, from its end to its beginning.
    let mut messages = Vec::new();
    let mut at = text("current_node");
    while let Some(node) = at.and_then(|id| mapping.get(id)) {
        messages.extend(node.get("message").and_then(|found| chatgpt_message(found, id)));
        at = node.get("parent").and_then(Value::as_str);
        if messages.len() > mapping.len() {
            return None;
        }
    }
    messages.reverse();
    let made = conversation.get("create_time").and_then(seconds);
    conversation_record(id, text("title"), made, messages)
}

fn chatgpt_message(message: &Value, session: &str) -> Option<Passage> {
    let role = message.pointer("/author/role")?.as_str()?;
    let parts = message.pointer("/content/parts")?.as_array()?;
    let texts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
    let at = message.get("create_time").and_then(seconds);
    passage(role, &texts.join("\n"), at, session)
}

fn seconds(value: &Value) -> Option<Timestamp> {
    Timestamp::from_millisecond((value.as_f64()? * 1_000.0) as i64).ok()
}

/// Reads session files of Claude Code: the path of each, and its text. A session is called as
/// its file is, in whatever folder that lies.
pub fn claude_code(files: &[(String, String)]) -> Load {
    let mut load = Load { label: "claude-code".into(), ..Load::default() };
    for (path, text) in files {
        let file = path.rsplit('/').next().unwrap_or(path);
        let (record, unreadable) =
            claude_session(file.strip_suffix(".jsonl").unwrap_or(file), text);
        load.records.extend(record);
        load.unreadable += unreadable;
    }
    load
}

fn claude_session(name: &str, text: &str) -> (Option<Record>, usize) {
    let (mut messages, mut title, mut unreadable) = (Vec::new(), None, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            unreadable += 1;
            continue;
        };
        if let Some(summary) = entry.get("summary").and_then(Value::as_str) {
            title = Some(summary.to_owned());
        }
        messages.extend(claude_message(&entry, name));
    }
    let made = messages.first().and_then(|first: &Passage| first.provenance.occurred_at);
    (conversation_record(name, title.as_deref(), made, messages), unreadable)
}

fn claude_message(entry: &Value, session: &str) -> Option<Passage> {
    let role = entry.get("type")?.as_str().filter(|role| matches!(*role, "user" | "assistant"))?;
    let content = entry.pointer("/message/content")?;
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    let at = entry.get("timestamp").and_then(Value::as_str).and_then(|at| at.parse().ok());
    passage(role, &text, at, session)
}

fn passage(role: &str, text: &str, at: Option<Timestamp>, session: &str) -> Option<Passage> {
    let said = matches!(role, "user" | "assistant") && !text.trim().is_empty();
    said.then(|| Passage {
        provenance: Provenance {
            session: Some(session.to_owned()),
            author: Some(role.to_owned()),
            occurred_at: at,
            ..Provenance::default()
        },
        ..Passage::new(MESSAGE, text.trim())
    })
}

/// A conversation in which something was said.
fn conversation_record(
    id: &str,
    title: Option<&str>,
    made: Option<Timestamp>,
    passages: Vec<Passage>,
) -> Option<Record> {
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    let name = match title {
        Some(title) => title.to_owned(),
        None => name_from("", &passages.first()?.body, NAME_LETTERS),
    };
    let record = Record {
        key: id.to_owned(),
        made,
        name,
        derived_name: title.is_none(),
        type_name: CONVERSATION.into(),
        namespace: CONVERSATIONS.into(),
        passages,
        ..Record::default()
    };
    (!record.passages.is_empty()).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_branch_of_a_chatgpt_conversation_is_read_in_order() {
        let export = r#"[{"conversation_id":"c1","title":"Ropes","create_time":1700000000.5,
          "current_node":"d","mapping":{
            "a":{"parent":null,"message":null},
            "b":{"parent":"a","message":{"author":{"role":"user"},"create_time":1700000001,
                 "content":{"parts":["How to tar ropes?"]}}},
            "x":{"parent":"b","message":{"author":{"role":"assistant"},
                 "content":{"parts":["An answer that was thrown away"]}}},
            "d":{"parent":"b","message":{"author":{"role":"assistant"},
                 "content":{"parts":["Warm the tar."]}}}}}, {"id":"broken"}]"#;
        let load = chatgpt(export).unwrap();
        assert_eq!((load.records.len(), load.unreadable), (1, 1));
        let bodies: Vec<_> = load.records[0].passages.iter().map(|p| p.body.as_str()).collect();
        assert_eq!(bodies, ["How to tar ropes?", "Warm the tar."]);
        assert!(chatgpt("{").is_err());
    }

    #[test]
    fn words_of_a_claude_code_session_are_read_and_tools_left_out() {
        let lines = [
            r#"{"type":"user","message":{"content":"Mend the sail"},"timestamp":"2026-01-02T03:04:05Z"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"sh"},{"type":"text","text":"Done."}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}}"#,
            "broken",
        ];
        let load = claude_code(&[("-ship/s1.jsonl".into(), lines.join("\n"))]);
        let record = &load.records[0];
        assert_eq!(record.key, "s1");
        assert_eq!(
            (record.name.as_str(), record.passages.len(), load.unreadable),
            ("Mend the sail", 2, 1)
        );
        assert_eq!(record.passages[1].provenance.author.as_deref(), Some("assistant"));
    }

    #[test]
    fn a_circle_of_messages_ends() {
        let export = r#"[{"id":"c","current_node":"a","mapping":{"a":{"parent":"a","message":
          {"author":{"role":"user"},"content":{"parts":["again"]}}}}}]"#;
        assert_eq!(chatgpt(export).unwrap().unreadable, 1);
    }
}
