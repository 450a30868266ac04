//! Model servers behind one face: Ollama, OpenAI, OpenAI-compatible ones, and the mock.
