import { expect, test } from "vitest";
import type { Limit } from "./limit.queries.ts";
import { checkLimits, readLimits } from "./limit-form.ts";
import { tables } from "./texts.ts";

const email: Limit = {
	...{ channel: "email", per_minute: 600, burst: 2_000, is_platform: true },
	ceiling: { per_minute: 600, burst: 2_000 },
};
const words = tables.en;
const entered = (per_minute: string, burst: string) => {
	const form = new FormData();
	form.set("email.per_minute", per_minute);
	form.set("email.burst", burst);
	return form;
};

test.each([
	["", "1", ["email.per_minute"]],
	["0", "1", ["email.per_minute"]],
	["10", "many", ["email.burst"]],
	["10", "1000001", ["email.burst"]],
	["601", "1", ["email.per_minute"]],
	["0", "2001", ["email.per_minute", "email.burst"]],
	["600", "2001", ["email.burst"]],
])("%j a minute and %j at once are refused at %j", (perMinute, burst, fields) => {
	const refused = checkLimits(entered(perMinute, burst), [email], { words, mayRaise: false });
	expect(refused.map(({ field }) => field)).toEqual(fields);
});

test("the platform owner may go above the ceiling", () => {
	const form = entered("900", "3000");
	expect(checkLimits(form, [email], { words, mayRaise: true })).toEqual([]);
	expect(readLimits(form, [email])).toEqual({ email: { per_minute: 900, burst: 3_000 } });
});

test("only limits that differ are sent", () => {
	expect(readLimits(entered("600", "2000"), [email])).toEqual({});
});
