import { expect, test } from "vitest";
import { explainCode, explainEntry, isAddressBad } from "./explain-entry.ts";
import { tables } from "./texts.ts";

const at = "2026-03-02T08:00:00Z";
const explain = (kind: string, detail: Record<string, unknown>) =>
	explainEntry({ at, kind, detail }, tables.en);

test("an attempt says its number, its outcome, its provider, the reason and the next attempt", () => {
	const detail = { attempt: 2, outcome: "refused", provider: "Mail", code: "timeout", next_at: at };
	expect(explain("attempt", detail)).toEqual({
		text: "Attempt 2: the message was refused. Provider: Mail.",
		because: "The provider did not answer in time.",
		nextAt: at,
	});
});

test("a bounce explains that the address is suppressed", () => {
	expect(explain("report", { report: "bounced" }).text).toContain("It is now suppressed");
});

test("an answer that the service asked for says so", () => {
	const { text } = explain("report", { report: "delivered", looked_up: true });
	expect(text).toBe(`${tables.en.reports.delivered} ${tables.en.lookedUp}`);
});

test.each([
	["decision", { decision: "new_rule" }, "The service decided: “new_rule”."],
	["report", { report: "toString" }, "The provider reports: “toString”."],
	["attempt", { attempt: 1, outcome: "odd" }, "Attempt 1: the result was “odd”."],
	["decision", { decision: "paused", cause: "odd" }, tables.en.pauses.other],
	["later", {}, "The service decided: “later”."],
])("an unknown %s %j has a general sentence", (kind, detail, text) => {
	expect(explain(kind, detail).text).toBe(text);
});

test.each([
	["http_503", "The provider answered with the status 503."],
	["at_999", "The provider’s reason is “at_999”."],
	["at_406", "The recipient does not want messages of this kind."],
	["econnrefused", "The provider could not be reached."],
	["etimedout", "The provider did not answer in time."],
	["toString", "The provider’s reason is “toString”."],
	["smtp_554", "The mail server answered 554."],
	["smtp_451_4.3.0", "The mail server answered 451 4.3.0."],
	["smtp_550_5.1.1", "The mail server says that the address does not exist (550 5.1.1)."],
])("the code %s is explained", (code, text) => {
	expect(explainCode(code, tables.en)).toBe(text);
});

test.each([
	["smtp_550_5.1.1", true],
	["at_403", true],
	["twilio_21211", true],
	["whatsapp_131026", true],
	["postmark_HardBounce", true],
	["fcm_unregistered", true],
	["at_406", false],
	["smtp_550_5.7.1", false],
	["smtp_450_5.1.1", false],
	[null, false],
])("whether the code %s says that the address does not exist: %s", (code, isBad) => {
	expect(isAddressBad(code)).toBe(isBad);
});
