import { expect, test } from "vitest";
import { byStream, streamOf, wordsOf } from "./stream.ts";

test.each([
	["auth.user.created", "AUTH"],
	["tenant.updated", "AUTH"],
	["outlet.changed", "AUTH"],
	["subscription.entitlements_changed", "SUBSCRIPTION"],
	["treasury.payment.succeeded", "TREASURY"],
	["isp.customer.created", "ISP"],
])("%s is in the stream %s", (type, stream) => {
	expect(streamOf(type)).toBe(stream);
	expect(wordsOf(stream)).toContain(type.split(".")[0]);
});

test.each(["", "auth", "auth.", "Auth.user", "auth.*", "auth.>", "auth user.x"])(
	'"%s" is not an event type and is refused',
	(type) => {
		expect(() => streamOf(type)).toThrow("is not an event type");
	},
);

test("types are grouped by their stream", () => {
	expect([...byStream(["tenant.created", "isp.x", "auth.user.login"])]).toEqual([
		["AUTH", ["tenant.created", "auth.user.login"]],
		["ISP", ["isp.x"]],
	]);
});
