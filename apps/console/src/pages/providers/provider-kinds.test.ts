import { expect, test } from "vitest";
import {
	checkCredentials,
	credentialsOf,
	hasCredentials,
	kinds,
	kindsOf,
	readCredentials,
} from "./provider-kinds.ts";

const entered = (values: Record<string, string>) => {
	const form = new FormData();
	for (const [name, value] of Object.entries(values)) form.set(`credentials.${name}`, value);
	return form;
};
const names = Object.values(kinds).flatMap(({ credentials }) => credentials.map(({ name }) => name));
const labels = Object.fromEntries(names.map((name) => [name, name])) as Record<
	(typeof names)[number],
	string
>;
const words = { missing: (label: string) => `missing ${label}`, port: "no port", labels, isPlatform: false };
const server = {
	host: "mail.uhai.example",
	port: "587",
	encryption: "starttls",
	fromAddress: "info@uhai.example",
};

test("the kinds of each channel are offered", () => {
	expect(kindsOf("email")).toEqual(["smtp", "postmark"]);
	expect(kindsOf("sms")).toEqual(["africastalking", "twilio"]);
	expect(kindsOf("push")).toEqual(["fcm"]);
	expect(kindsOf("whatsapp")).toEqual(["twilio", "whatsapp_cloud"]);
});

test("credentials are read with their members, and empty ones are left out", () => {
	expect(readCredentials(entered({ ...server, user: "" }), "smtp")).toEqual({
		...{ host: "mail.uhai.example", port: 587, secure: false, requireTls: true },
		fromAddress: "info@uhai.example",
	});
	const dkim = { "dkim.domain": "uhai.example", "dkim.selector": "s1", "dkim.privateKey": "PEM" };
	expect(readCredentials(entered({ ...server, encryption: "tls", ...dkim }), "smtp")).toMatchObject({
		...{
			secure: true,
			requireTls: false,
			dkim: { domain: "uhai.example", selector: "s1", privateKey: "PEM" },
		},
	});
	expect(readCredentials(entered({ username: "uhai", apiKey: "secret" }), "africastalking")).toEqual({
		...{ username: "uhai", apiKey: "secret" },
	});
});

test.each([
	["nothing", "smtp", {}, "missing host", "credentials.host"],
	["no port", "smtp", { host: "a" }, "missing port", "credentials.port"],
	["a port that is text", "smtp", { host: "a", port: "many" }, "no port", "credentials.port"],
	["a port above 65,535", "smtp", { host: "a", port: "65536" }, "no port", "credentials.port"],
	[
		"half of DKIM",
		"smtp",
		{ ...server, "dkim.domain": "a" },
		"missing dkim.selector",
		"credentials.dkim.selector",
	],
	[
		"no sender's address",
		"postmark",
		{ serverToken: "token" },
		"missing fromAddress",
		"credentials.fromAddress",
	],
	["no token", "twilio", { accountSid: "AC" }, "missing authToken", "credentials.authToken"],
] as const)("credentials with %s are refused at the field", (...[, kind, values, message, field]) => {
	expect(checkCredentials(entered(values), kind, words)).toContainEqual({ message, field });
});

test("complete credentials are accepted, and a form without any keeps the stored ones", () => {
	expect(checkCredentials(entered(server), "smtp", words)).toEqual([]);
	expect(hasCredentials(entered({ encryption: "tls" }), "smtp")).toBe(false);
	expect(hasCredentials(entered(server), "smtp")).toBe(true);
});

test("a provider of the platform has no sender's address", () => {
	const { fromAddress: _own, ...ofPlatform } = server;
	expect(checkCredentials(entered(ofPlatform), "smtp", { ...words, isPlatform: true })).toEqual([]);
	const names = (isPlatform: boolean) => credentialsOf("postmark", { isPlatform }).map(({ name }) => name);
	expect([names(false).includes("fromAddress"), names(true).includes("fromAddress")]).toEqual([true, false]);
});
