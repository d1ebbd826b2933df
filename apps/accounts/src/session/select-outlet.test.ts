import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findOfferedOutlets, selectOutlet } from "./select-outlet.ts";
import { currentTokens, dropTokens, setTokens } from "./tokens.ts";

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

test("the offered outlets are in the sign-in response, otherwise in the response with a new one-time token", async () => {
	setTokens({ access_token: "a", ssoExchangeToken: "stored", outletIds: ["hq", "ward"] });
	expect(await findOfferedOutlets("")).toEqual(["hq", "ward"]);
	setTokens({ access_token: "a" });
	expect(await findOfferedOutlets("")).toEqual(["ward"]);
	expect(currentTokens()).toMatchObject({ exchangeToken: "new-1" });
});

test("an expired one-time token is replaced once", async () => {
	setTokens({ access_token: "a", refresh_token: "r", ssoExchangeToken: "old" });
	await selectOutlet("", "ward");
	expect(sent).toEqual(["old", "new-1"]);
	expect(currentTokens()).toMatchObject({ accessToken: "final", refreshToken: "r" });
});
