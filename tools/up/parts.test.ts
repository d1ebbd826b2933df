import { defineService, defineSettings } from "@lango/chassis";
import { expect, test } from "vitest";
import { environmentOf, listPorts, type Parts, requireSettings } from "./parts.ts";

const auth = defineService({
	name: "auth",
	title: "Sign-on",
	settings: defineSettings("AUTH", {}),
	migrations: [],
	failures: [],
	corsHeaders: [],
	dependencies: async () => ({}),
	pipeline: () => [],
	routes: [],
});
const parts: Parts = {
	sandboxes: [
		{
			name: "post-sandbox",
			title: "",
			ports: { POST_SANDBOX_PORT: 4092, POST_SANDBOX_SMTP_PORT: 4093 },
			start: () => expect.fail("not started here"),
		},
	],
	services: [{ service: auth }],
	pages: [
		{
			name: "sign-in",
			title: "",
			port: 3002,
			folder: "",
			isBuilt: false,
			addressVariable: "CAFE_URL",
			settings: () => ({}),
		},
	],
	secrets: {},
	people: [],
	password: "",
};

test("a changed port changes every address derived from it", () => {
	const { AUTH_URL, SIGN_IN_URL, CAFE_URL, HTTP_ALLOWED_ORIGINS } = environmentOf(parts, {
		AUTH_PORT: "4100",
		SIGN_IN_PORT: "3102",
	});
	expect([AUTH_URL, SIGN_IN_URL, CAFE_URL]).toEqual([
		"http://localhost:4100",
		"http://localhost:3102",
		"http://localhost:3102",
	]);
	expect(HTTP_ALLOWED_ORIGINS?.split(",")).toContain("http://localhost:3102");
});

test("a given address is kept, and an empty setting counts as missing", () => {
	const { AUTH_URL, SIGN_IN_URL } = environmentOf(parts, {
		AUTH_URL: "https://sso.example",
		SIGN_IN_URL: "",
	});
	expect([AUTH_URL, SIGN_IN_URL]).toEqual(["https://sso.example", "http://localhost:3002"]);
});

test("services get the address and the ports of a sandbox", () => {
	expect(environmentOf(parts, { POST_SANDBOX_PORT: "4192" })).toMatchObject({
		POST_SANDBOX_URL: "http://localhost:4192",
		POST_SANDBOX_PORT: "4192",
		POST_SANDBOX_SMTP_PORT: "4093",
	});
});

test("every port is listed with its setting", () => {
	expect(listPorts(parts, {}).map(({ port, setting }) => [port, setting])).toEqual([
		[4092, "POST_SANDBOX_PORT"],
		[4093, "POST_SANDBOX_SMTP_PORT"],
		[4000, "AUTH_PORT"],
		[3002, "SIGN_IN_PORT"],
	]);
});

test("an invalid port is refused and its setting is named", () => {
	const environment = environmentOf(parts, { AUTH_PORT: "many" });
	expect(() => requireSettings(parts, environment)).toThrow("AUTH_PORT");
	expect(environment["AUTH_URL"]).toBeUndefined();
	expect(() => listPorts(parts, { SIGN_IN_PORT: "0" })).toThrow("SIGN_IN_PORT is a whole number");
});
