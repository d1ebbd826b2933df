import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findOffered, selectOutlet } from "./select-outlet.ts";
import { dropTokens, heldTokens, holdTokens } from "./tokens.ts";

const good = new Set<string>();
const sent: string[] = [];
let minted = 0;

beforeEach(() => {
	vi.stubGlobal("fetch", async (address: string, { body }: RequestInit) => {
		if (address.endsWith("/outlet-exchange")) {
			minted += 1;
			good.add(`new-${minted}`);
			return Response.json({ ssoExchangeToken: `new-${minted}`, outletIds: ["ward"] });
		}
		const { ssoExchangeToken } = JSON.parse(String(body));
		sent.push(ssoExchangeToken);
		if (!good.delete(ssoExchangeToken)) return Response.json({ code: "no" }, { status: 401 });
		return Response.json({ access_token: "final" });
	});
});
afterEach(() => {
	vi.unstubAllGlobals();
	dropTokens();
	good.clear();
	sent.length = 0;
	minted = 0;
});

test("what may be chosen comes with the sign-in, and otherwise with a new one-time token", async () => {
	holdTokens({ access_token: "a", ssoExchangeToken: "kept", outletIds: ["hq", "ward"] });
	expect(await findOffered("")).toEqual(["hq", "ward"]);
	holdTokens({ access_token: "a" });
	expect(await findOffered("")).toEqual(["ward"]);
	expect(heldTokens()).toMatchObject({ exchangeToken: "new-1" });
});

test("a one-time token that ran out is replaced once", async () => {
	holdTokens({ access_token: "a", refresh_token: "r", ssoExchangeToken: "old" });
	await selectOutlet("", "ward");
	expect(sent).toEqual(["old", "new-1"]);
	expect(heldTokens()).toMatchObject({ accessToken: "final", refreshToken: "r" });
});
