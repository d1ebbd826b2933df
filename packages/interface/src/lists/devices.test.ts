import type { OwnSession } from "@lango/contracts";
import { expect, test } from "vitest";
import { devicesOf } from "./devices.ts";

const session = (id: string, more: Partial<OwnSession> = {}): OwnSession => ({
	...{ id, browser_session_id: null, client_id: "console-ui", client_name: "Console", tenant_id: "t" },
	...{ tenant_slug: "uhai", signed_in_at: "2026-03-02T08:00:00Z", last_used_at: "2026-03-02T08:00:00Z" },
	...{ expires_at: "2026-05-02T08:00:00Z", is_current: false, is_this_device: false, device: "unknown" },
	place: null,
	...more,
});

test("the sessions of one browser are one device, with its first sign-in and its last use", () => {
	const place = { country: "KE", city: "Mombasa" };
	const ofBrowser = { browser_session_id: "b", device: "Firefox, Windows", place };
	const [device, ...others] = devicesOf([
		session("1", { ...ofBrowser, last_used_at: "2026-03-03T08:00:00Z" }),
		session("2", { ...ofBrowser, signed_in_at: "2026-03-01T08:00:00Z", client_name: "Sign-in pages" }),
		session("3", ofBrowser),
	]);
	expect(others).toEqual([]);
	expect(device).toEqual({
		...{ sessionId: "1", isBrowser: true, name: "Firefox, Windows", place, isThis: false },
		...{ signedInAt: "2026-03-01T08:00:00Z", lastUsedAt: "2026-03-03T08:00:00Z" },
		uses: [
			{ application: "Console", tenant: "uhai" },
			{ application: "Sign-in pages", tenant: "uhai" },
		],
	});
});

test("this device comes first, then the one that was used last", () => {
	const devices = devicesOf([
		session("old"),
		session("this", { is_this_device: true }),
		session("new", { last_used_at: "2026-03-03T08:00:00Z" }),
	]);
	expect(devices.map(({ sessionId }) => sessionId)).toEqual(["this", "new", "old"]);
});

test("a session without a browser is a device of its own, without a name if it is not known", () => {
	expect(devicesOf([session("1"), session("2")])).toMatchObject([
		{ isBrowser: false, name: undefined, place: undefined },
		{ isBrowser: false, name: undefined, place: undefined },
	]);
});
