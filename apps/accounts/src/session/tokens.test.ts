import { expect, test } from "vitest";
import { currentTokens, setTokens, takeExchangeToken } from "./tokens.ts";

test("the one-time token is returned once, and the other tokens stay", () => {
	setTokens({ access_token: "a", refresh_token: "r", ssoExchangeToken: "once" });
	expect(takeExchangeToken()).toBe("once");
	expect(takeExchangeToken()).toBeUndefined();
	expect(currentTokens()).toMatchObject({ accessToken: "a", refreshToken: "r" });
});
