#!/usr/bin/env python3
"""Asks mitmproxy itself what its filter expressions mean, and writes the answers for witness_test.go.

Run it with a Python that has mitmproxy (Debian's 8.1.1 was used): witness.py > witness.json
Newer versions ignore case everywhere, older ones only in ~m and ~d; here all do.
"""
import base64
import json
import random
import re
import sys

from mitmproxy import flowfilter, http, version
from mitmproxy.test import tflow

for operator in flowfilter.filter_rex:
    operator.flags |= re.IGNORECASE


def b64(text):
    return base64.b64encode(text.encode()).decode()


def header(*pairs):
    return [{"name": n, "value": v} for n, v in pairs]


def message(head, body):
    return {"header": head, "protocol": "HTTP/1.1", "body": {"size": len(body), "content": b64(body)} if body else {"size": 0}}


def request(method, url, head, body=""):
    return {"method": method, "url": url, **message(head, body)}


def response(status, head, body=""):
    return {"status": status, **message(head, body)}


JSON = ("Content-Type", "application/json; charset=utf-8")
FLOWS = [
    {"request": request("GET", "https://api.example.com/v1/orders?id=12&x=1", header(("Accept", "application/json"), ("X-Trace", "a")))},
    {"request": request("POST", "https://api.example.com/v1/orders", header(JSON, ("Authorization", "Bearer T0ken")), '{"item":"tea","n":2}'),
     "response": response(201, header(JSON, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")), '{"id":7}')},
    {"request": request("GET", "http://cdn.example.org:8080/logo.png", header(("Accept", "image/*"))),
     "response": response(200, header(("Content-Type", "image/png")), "PNG\n\ndata")},
    {"request": request("DELETE", "https://api.example.com/v1/orders/12", header()),
     "response": response(500, header(("Content-Type", "text/plain"), ("Server", "nginx/1.2")), "first line\nOops: database")},
    {"request": request("PUT", "https://EXAMPLE.com/Path%20x/d/a&b", header(("Content-Type", "text/css")), "a|b (c) 'q' \"z\" \\d"),
     "error": "the server is gone"},
    {"request": request("GET", "https://static.example.com/app.js", header()),
     "response": response(304, header(("Content-Type", "text/javascript")))},
]


def build(f):
    made = tflow.tflow(resp="response" in f, err="error" in f)
    q = f["request"]
    made.request = http.Request.make(q["method"], q["url"], content=base64.b64decode(q["body"].get("content", "")))
    made.request.headers = http.Headers([(h["name"].encode(), h["value"].encode()) for h in q["header"]])
    made.server_conn.address = (made.request.host, made.request.port)
    made.client_conn.peername = ("127.0.0.1", 50123)
    if "response" in f:
        s = f["response"]
        made.response = http.Response.make(s["status"], base64.b64decode(s["body"].get("content", "")))
        made.response.headers = http.Headers([(h["name"].encode(), h["value"].encode()) for h in s["header"]])
    return made


ATOMS = """~a|~all|~b tea|~b "first line.*oops"|~b ^first|~bq item|~bs id|~bs DATABASE$|~c 200|~c 500|~d example.com|~d ^api|~dst :8080|~dst 443
~e|~h "accept: "|~h nginx|~hq "authorization: bearer"|~hs "^server: "|~hs set-cookie|~http|~m GET|~m p|~m ^p.t$|~q|~s|~src 127.0.0.1|~src :50123
~t json|~t image|~tq css|~ts png|~u /orders|~u "orders\\\\?id=\\\\d+"|~u ^https:|~u a&b|~u x=1|~u logo.png|orders|"v1/orders$"|'path%20x'
~bq "a\\\\|b \\\\(c\\\\)"|~bq "\\"z\\""|~bq 'it\\'s'|~u o.*s|~b .|~u ""|~websocket|~u !a|~b \\d|~u [0-9]+$|~h X-TRACE""".replace("\n", "|")
ATOMS = [a for a in re.split(r"\|(?=~|orders|\"v1|'path)", ATOMS) if a]

LISTED = r"""(~q )#(~m GET)#!~q#!!~q#! ~q#~q & ~m GET#~q ~m GET#~q | ~c 500#orders tea | logo#!orders logo#~q & ~m POST | ~s#~s | ~q & ~m POST
(~s | ~q ) & ~m POST#!(orders|logo)#(orders)|(logo)#(orders)logo#(~u a )b#~m POST | ~m PUT ~u x#~c 500 | ~c 201 | ~c 304#~s & !~c 200
a&b#a|z#orders&#~m GET &#& a#a | | b#~c 404abc#a~q#"a"b#a"b"#~u x)#()#(#~u (a|b)#~u#~p x#~marked#~tcp#~c "4"#~q~s#~u"x"#(~q)#(a b)#"a#~u [#~u *
~c 9x#~u a|~q#a &b#a& b#~u &#! & a#~u (#""#~all ~http#(((~q )))#~u 'a"b'#~u é#~unknown#~#~ u x#a !b#a & !b & !c""".replace("\n", "#").split("#")


def grow(depth, inside=False):  # in brackets mitmproxy takes no terms side by side
    pick = RANDOM.random()
    if depth == 0 or pick < 0.25:
        return RANDOM.choice(ATOMS)
    if pick < 0.4:
        return RANDOM.choice(["!", "! "]) + grow(depth - 1, inside)
    if pick < 0.55:
        return "(" + grow(depth - 1, True) + " )"
    return grow(depth - 1, inside) + RANDOM.choice([" & ", " | "] if inside else [" & ", " | ", " "]) + grow(depth - 1, inside)


RANDOM = random.Random(18)
PATTERNS = list(dict.fromkeys(ATOMS + LISTED + [grow(3) for _ in range(400)]))
built = [build(f) for f in FLOWS]
answers = []
for text in PATTERNS:
    try:
        meant = flowfilter.parse(text)
        answers.append({"pattern": text, "meant": "".join("1" if meant(f) else "0" for f in built)})
    except ValueError:
        answers.append({"pattern": text})
for f in FLOWS:
    f["client"] = {"address": "127.0.0.1:50123"}
json.dump({"mitmproxy": version.VERSION, "flows": FLOWS, "answers": answers}, sys.stdout, indent=0, ensure_ascii=False)
