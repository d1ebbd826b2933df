import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askSignedIn } from "./ask-signed-in.ts";
import { dropTokens, heldTokens, holdTokens, mayBeOver } from "./tokens.ts";

const asked: string[] = [];
let answers: Record<string, () => Response> = {};
const refused = () => Response.json({ code: "token_invalid" }, { status: 401 });
const me = "/api/v1/auth/me";
const refresh = "/api/v1/auth/refresh";
const begin = Date.parse("2026-03-02T08:00:00Z");

beforeEach(() => {
	vi.useFakeTimers({ now: begin, toFake: ["Date"] });
	vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
		asked.push(body === undefined ? path : `${path} ${JSON.parse(String(body)).refresh_token}`);
		return answers[path]?.() ?? Response.json({ path });
	});
	answers = { [refresh]: () => Response.json({ access_token: "b", refresh_token: "r2", expires_in: 60 }) };
	holdTokens({ access_token: "a", refresh_token: "r1", expires_in: 60 });
});
afterEach(() => {
	dropTokens();
	asked.length = 0;
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

test("a 401 is answered by one refresh, and the question is asked once more", async () => {
	const replies = [refused];
	answers["/x"] = () => replies.pop()?.() ?? Response.json({ ok: true });
	expect(await askSignedIn("", "/x")).toEqual({ ok: true });
	expect(asked).toEqual(["/x", `${refresh} r1`, "/x"]);
});

test("a 401 of auth/me is neither refreshed nor asked again", async () => {
	answers[me] = refused;
	await expect(askSignedIn("", me)).rejects.toMatchObject({ status: 401, code: "token_invalid" });
	expect(asked).toEqual([me]);
});

test("a token whose time is over by the clock is refreshed before it is sent, for auth/me, too", async () => {
	vi.setSystemTime(begin + 60_000);
	await askSignedIn("", me);
	expect(asked).toEqual([`${refresh} r1`, me]);
	expect(heldTokens()?.accessToken).toBe("b");
});

test("a refresh without a new refresh token goes on with the one before", async () => {
	answers[refresh] = () => Response.json({ access_token: "b", expires_in: 60 });
	for (const minutes of [1, 2]) {
		vi.setSystemTime(begin + minutes * 60_000);
		await askSignedIn("", me);
	}
	expect(asked.filter((one) => one.startsWith(refresh))).toEqual([`${refresh} r1`, `${refresh} r1`]);
});

test("a session that is over says so, and signing out during a refresh leaves no token behind", async () => {
	vi.setSystemTime(begin + 60_000);
	answers[refresh] = refused;
	await expect(askSignedIn("", me)).rejects.toMatchObject({ code: "session_ended" });
	answers[refresh] = () => {
		dropTokens();
		return Response.json({ access_token: "late" });
	};
	await expect(askSignedIn("", me)).rejects.toMatchObject({ code: "session_ended" });
	expect(heldTokens()).toBeUndefined();
});

test("within 15 seconds of a sign-in a 401 ends no session", () => {
	vi.setSystemTime(begin + 14_999);
	expect(mayBeOver()).toBe(false);
	vi.setSystemTime(begin + 15_000);
	expect(mayBeOver()).toBe(true);
});
