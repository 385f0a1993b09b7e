"""What Schemathesis does not ask (TestOpenAPI): a question that leaves out words, -word, and
asks for nothing beside them is refused, with a sentence that says so; of which words it must
have beside them no pattern can tell, so that no such question is drawn."""

import re

import schemathesis


@schemathesis.hook
def filter_query(context, query):
    asked = (query or {}).get("q")
    return not (isinstance(asked, str) and re.search(r"(^|\s)-", asked))
