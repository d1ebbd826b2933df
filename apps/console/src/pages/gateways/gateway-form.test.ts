import { expect, test } from "vitest";
import { checkGateway } from "./gateway-form.ts";

const messages = { url_refused: "address", certificate_invalid: "certificate" };
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

function fieldsRefused(entries: Record<string, string>) {
	const entered = new FormData();
	for (const [name, value] of Object.entries(entries)) entered.set(name, value);
	return checkGateway(entered, messages).map(({ field }) => field);
}

test.each([
	[
		{ environment: "production", base_url: "http://gateway.example", certificate: "MIIB" },
		["base_url", "certificate"],
	],
	[{ environment: "production", base_url: "https://localhost:4100" }, ["base_url"]],
	[{ environment: "sandbox", base_url: "gateway" }, ["base_url"]],
	[{ environment: "sandbox", base_url: "localhost:4100" }, ["base_url"]],
	[{ environment: "sandbox", base_url: "http://gateway.example/?key=1" }, ["base_url"]],
])("all fields of %j that the treasury would refuse are found", (entries, fields) => {
	expect(fieldsRefused(entries)).toEqual(fields);
});

test.each([
	{ environment: "production", base_url: "https://gateway.example/v1", certificate: pem },
	{ environment: "sandbox", base_url: "http://localhost:4100" },
	{ environment: "production", base_url: "", certificate: "" },
])("%j is sent", (entries) => {
	expect(fieldsRefused(entries)).toEqual([]);
});
