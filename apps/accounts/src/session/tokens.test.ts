import { expect, test } from "vitest";
import { heldTokens, holdTokens, takeExchangeToken } from "./tokens.ts";

test("the one-time token of an outlet is given away once, and the session goes on", () => {
	holdTokens({ access_token: "a", refresh_token: "r", ssoExchangeToken: "once" });
	expect(takeExchangeToken()).toBe("once");
	expect(takeExchangeToken()).toBeUndefined();
	expect(heldTokens()).toMatchObject({ accessToken: "a", refreshToken: "r" });
});
