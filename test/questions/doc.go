// Package questions holds documents and questions that were written for this project:
// long documents in five languages, questions with the passage that answers each,
// sentences marked fact, allegation or opinion, and short stories told by several
// documents. README.md says what each part is for and how it was made.
//
// Everything is invented. Read gives all of it but the sentences that nobody may look
// at who writes rules; those have a function of their own.
package questions
