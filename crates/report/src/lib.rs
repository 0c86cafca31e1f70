//! Findings in, text, JSON, DOT and SARIF out.
