import { expect, test } from "vitest";
import { isRegistrable } from "./client-rules.ts";

test.each([
	"https://shop.example/auth/callback",
	"https://shop.example/{tenant}/auth/callback",
	"https://shop.example",
	"https://shop.example:8443/cb?from=lango",
	"http://localhost:3000/auth/callback",
	"http://127.0.0.1/cb",
	"http://[::1]",
	"com.example.shop:/callback",
])("%s may be registered", (uri) => {
	expect(isRegistrable(uri)).toBe(true);
});

test.each([
	"",
	"/auth/callback",
	"shop.example/cb",
	"http://shop.example/cb",
	"http://localhost.evil.example/cb",
	"https://shop.example/cb#x",
	"https://user@shop.example/cb",
	"https://user:pass@shop.example/cb",
	"https://*.shop.example/cb",
	"https://shop.example/*",
	"https://SHOP.example/cb",
	"HTTPS://shop.example/cb",
	"https://shop.example:443/cb",
	"https://shop.example/a/../cb",
	"https://shop.example/a\\cb",
	"https://shop.example/ cb",
	"https://shop.example/{tenant}/{tenant}/cb",
	"https://shop.example/{slug}/cb",
	"https://shop.example/x{tenant}/cb",
	"https://{tenant}/cb",
	"https://{tenant}.shop.example/cb",
	"https:/{tenant}/cb",
	"javascript:alert(1)",
	"data:text/html,x",
	"file:///etc/passwd",
	"myapp:/callback",
	"com.example.shop:/{tenant}/callback",
])("%s may not be registered", (uri) => {
	expect(isRegistrable(uri)).toBe(false);
});
