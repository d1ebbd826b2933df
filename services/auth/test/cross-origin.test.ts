import {
	developmentOrigins,
	exposedHeaders,
	listExposedHeaders,
	listRefusedPreflights,
	routesOfDocument,
} from "@lango/testkit";
import { expect, test } from "vitest";
import { authorizeUrl, openBrowser, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

/** The specification's list for this service (payments text §4.5), and what it reads besides. */
const headers = [
	"Accept",
	"Authorization",
	"Content-Type",
	"X-Request-ID",
	"X-Requested-With",
	"X-API-Key",
	"X-Tenant-Slug",
	"X-Tenant-ID",
	"X-Outlet-ID",
	"traceparent",
	"tracestate",
];
const send: Parameters<typeof listRefusedPreflights>[0]["send"] = (request) => signOn.app.inject(request);
const routes = () => routesOfDocument(signOn.app.swagger(), "/");

/** Where a registered client is (NOTIFICATIONS_UI_URL): no setting names it among the origins. */
const ofClient = "http://localhost:3012";

test.each([...developmentOrigins, ofClient])(
	"a browser at %s may call every route, with every header",
	async (origin) => {
		expect(await listRefusedPreflights({ send, routes: routes(), origin, headers })).toEqual([]);
		expect(await listExposedHeaders({ send, origin }, "/healthz")).toEqual(exposedHeaders);
	},
);

test("an unregistered origin is not allowed by CORS, nor is any other header", async () => {
	const all = routes();
	const strange = await listRefusedPreflights({
		send,
		routes: all,
		origin: "http://localhost:3999",
		headers,
	});
	expect(strange).toHaveLength(all.length);
	const origin = "http://localhost:3001";
	const header = await listRefusedPreflights({ send, routes: all, origin, headers: ["X-Strange"] });
	expect(header).toHaveLength(all.length);
	expect(header.every((line) => line.endsWith(": X-Strange"))).toBe(true);
});

test("the authorization endpoint does not allow CORS, with or without a browser session (RFC 9700 §2.6)", async () => {
	const browser = openBrowser(signOn.app);
	await browser.signIn("admin@uhai.example");
	const code = authorizeUrl({ response_mode: "form_post" });
	const asking = { headers: { origin: ofClient, cookie: browser.cookie } };
	for (const url of [code, "/api/v1/authorize", authorizeUrl({ prompt: "none login" })]) {
		const { headers } = await signOn.app.inject({ url, ...asking });
		expect(headers["access-control-allow-origin"], url).toBeUndefined();
		expect(headers["access-control-allow-credentials"], url).toBeUndefined();
	}
	expect((await signOn.app.inject({ url: code, ...asking })).body).toContain('name="code"');
	expect((await signOn.app.inject({ url: "/.well-known/jwks.json", ...asking })).headers).toMatchObject({
		"access-control-allow-origin": ofClient,
	});
});
