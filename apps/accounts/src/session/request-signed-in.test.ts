import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { requestSignedIn } from "./request-signed-in.ts";
import { currentTokens, dropTokens, mayHaveEnded, readResponse, setTokens } from "./tokens.ts";

const sent: string[] = [];
let responses: Record<string, () => Response> = {};
const refused = () => Response.json({ code: "token_invalid" }, { status: 401 });
const me = "/api/v1/auth/me";
const refresh = "/api/v1/auth/refresh";
const begin = Date.parse("2026-03-02T08:00:00Z");

beforeEach(() => {
	vi.useFakeTimers({ now: begin, toFake: ["Date"] });
	vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
		sent.push(body === undefined ? path : `${path} ${JSON.parse(String(body)).refresh_token}`);
		return responses[path]?.() ?? Response.json({ path });
	});
	responses = { [refresh]: () => Response.json({ access_token: "b", refresh_token: "r2", expires_in: 60 }) };
	setTokens(readResponse({ access_token: "a", refresh_token: "r1", expires_in: 60 }));
});
afterEach(() => {
	dropTokens();
	sent.length = 0;
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

test("a 401 causes one refresh and one retry", async () => {
	const replies = [refused];
	responses["/x"] = () => replies.pop()?.() ?? Response.json({ ok: true });
	expect(await requestSignedIn("", "/x")).toEqual({ ok: true });
	expect(sent).toEqual(["/x", `${refresh} r1`, "/x"]);
});

test("a 401 of auth/me causes no refresh and no retry", async () => {
	responses[me] = refused;
	await expect(requestSignedIn("", me)).rejects.toMatchObject({ status: 401, code: "token_invalid" });
	expect(sent).toEqual([me]);
});

test("an expired token is refreshed before a request, also for auth/me", async () => {
	vi.setSystemTime(begin + 60_000);
	await requestSignedIn("", me);
	expect(sent).toEqual([`${refresh} r1`, me]);
	expect(currentTokens()?.accessToken).toBe("b");
});

test("a refresh without a new refresh token keeps the previous one", async () => {
	responses[refresh] = () => Response.json({ access_token: "b", expires_in: 60 });
	for (const minutes of [1, 2]) {
		vi.setSystemTime(begin + minutes * 60_000);
		await requestSignedIn("", me);
	}
	expect(sent.filter((one) => one.startsWith(refresh))).toEqual([`${refresh} r1`, `${refresh} r1`]);
});

test("a refused refresh ends the session, and a sign-out during a refresh discards the tokens", async () => {
	vi.setSystemTime(begin + 60_000);
	responses[refresh] = refused;
	await expect(requestSignedIn("", me)).rejects.toMatchObject({ code: "session_ended" });
	responses[refresh] = () => {
		dropTokens();
		return Response.json({ access_token: "late" });
	};
	await expect(requestSignedIn("", me)).rejects.toMatchObject({ code: "session_ended" });
	expect(currentTokens()).toBeUndefined();
});

test("within 15 seconds of a sign-in a 401 does not end the session", () => {
	vi.setSystemTime(begin + 14_999);
	expect(mayHaveEnded()).toBe(false);
	vi.setSystemTime(begin + 15_000);
	expect(mayHaveEnded()).toBe(true);
});
