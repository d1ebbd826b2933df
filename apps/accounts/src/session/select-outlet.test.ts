import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findOfferedOutlets, selectOutlet } from "./select-outlet.ts";
import { currentExchange, currentTokens, dropTokens, readResponse, setTokens } from "./tokens.ts";

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
		const { ssoExchangeToken, outletId } = JSON.parse(String(body));
		sent.push(ssoExchangeToken);
		if (outletId === "foreign") return Response.json({ code: "outlet_forbidden" }, { status: 403 });
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
	setTokens(
		readResponse({
			access_token: "a",
			requiresOutletSelection: true,
			ssoExchangeToken: "stored",
			outletIds: ["hq", "ward"],
		}),
	);
	expect(await findOfferedOutlets("")).toEqual(["hq", "ward"]);
	setTokens(readResponse({ access_token: "a" }));
	expect(await findOfferedOutlets("")).toEqual(["ward"]);
	expect(currentExchange()).toMatchObject({ token: "new-1" });
});

test("an expired one-time token is replaced once", async () => {
	setTokens(
		readResponse({
			access_token: "a",
			refresh_token: "r",
			requiresOutletSelection: true,
			ssoExchangeToken: "old",
		}),
	);
	await selectOutlet("", "ward");
	expect(sent).toEqual(["old", "new-1"]);
	expect(currentTokens()).toMatchObject({ accessToken: "final", refreshToken: "r" });
});

test("a refused one-time token is not sent again", async () => {
	setTokens(readResponse({ access_token: "a", requiresOutletSelection: true, ssoExchangeToken: "once" }));
	good.add("once");
	await expect(selectOutlet("", "foreign")).rejects.toMatchObject({ status: 403 });
	await selectOutlet("", "ward");
	expect(sent).toEqual(["once", "new-1"]);
});
