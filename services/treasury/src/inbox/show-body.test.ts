import { expect, test } from "vitest";
import { showBody } from "./show-body.ts";

test("what can charge a card, or stop its subscription, is not shown; everything else is shown as it came", () => {
	const body = (code: string, token: string) =>
		`{"event":"charge.success","data":{"amount":1.00,"authorization":{"authorization_code":${code},"last4":"4081"},` +
		`"list":[{"email_token" :\n${token}}],"reference":"https:\\/\\/a"}}`;
	expect(showBody(Buffer.from(body('"AUTH_\\"x\\u00e9"', '"abc"')))).toBe(body('"•••"', '"•••"'));
	for (const text of ["not JSON", '{"email_token":null}', '{"code":"email_token"}'])
		expect(showBody(Buffer.from(text))).toBe(text);
});
