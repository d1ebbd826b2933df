import { generateKeyPairSync } from "node:crypto";
import { buildService } from "@lango/chassis";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { treasury } from "../../src/service.ts";
import { listAudited } from "./list-audited.store.ts";

const environment = {
	TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
	HTTP_PUBLIC_BASE_URL: "https://pay.example",
	CARDGW_URL: "https://card.example",
};
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const certificate = publicKey.export({ type: "spki", format: "pem" }).toString();

/** As the superuser of the platform. */
const operator = (method: string, url: string, body?: object) =>
	stand.call({
		...{ method, url: `/api/v1/platform${url}`, body },
		token: stand.token(stand.tenants.lango, "superuser"),
	});
const administrator = (tenant: "uhai" | "kahawa", method: string, body?: object) =>
	stand.call({
		...{ method, url: `/api/v1/${tenant}/treasury/gateway`, body },
		token: stand.token(stand.tenants[tenant], "admin"),
	});
const shown = { set_at: expect.any(String), last4: expect.any(String) };

describe("the operator's profiles", () => {
	test("begin with the addresses of the settings, and show secrets only by their time and last characters", async () => {
		expect((await operator("GET", "/gateways/card-gateway")).body).toMatchObject({
			...{ environment: "sandbox", base_url: "https://card.example", credentials: [] },
			...{ secrets: { secret_key: null, public_key: null, webhook_secret: null } },
			webhook_url: "https://pay.example/api/v1/webhooks/cardgateway",
			callback_url: "https://pay.example/api/v1/payments/callback",
		});
		const changed = await operator("PUT", "/gateways/mobile-money", {
			...{ base_url: "https://money.example/", certificate },
			settings: { is_frequency_confirmed: true, allow_ips: ["196.201.214.0/24"] },
			secrets: { consumer_key: "consumer-key-1234", consumer_secret: "short" },
		});
		expect(changed).toMatchObject({
			status: 200,
			body: {
				...{ base_url: "https://money.example", certificate },
				settings: {
					is_frequency_confirmed: true,
					path_prefix: "mobilemoney",
					allow_ips: ["196.201.214.0/24"],
				},
				secrets: { consumer_key: { ...shown, last4: "1234" }, consumer_secret: { last4: "" }, passkey: null },
				credentials: [{ id: expect.any(String), retires_at: null }],
			},
		});
		expect(JSON.stringify(changed.body)).not.toContain("consumer-key-1234");
		expect(await listAudited(stand.database.db, "gateway.changed")).toEqual([
			expect.not.stringContaining("consumer-key-1234"),
		]);
	});

	// biome-ignore format: reads as a table
	test.each<[title: string, name: string, body: object, expected: object]>([
		["an address without https in production", "card-gateway", { environment: "production", base_url: "http://card.example" }, { status: 400, body: { code: "url_refused", field: "base_url" } }],
		["an address that is not public in production", "card-gateway", { environment: "production", base_url: "https://10.0.0.5" }, { status: 400, body: { code: "url_refused" } }],
		["an address of this machine in production", "card-gateway", { environment: "production", base_url: "https://localhost" }, { status: 400, body: { code: "url_refused" } }],
		["an address with a query", "card-gateway", { base_url: "https://card.example/?a=b" }, { status: 400, body: { code: "url_refused" } }],
		["a text that is not a certificate", "mobile-money", { certificate: "-----BEGIN" }, { status: 400, body: { code: "certificate_invalid", field: "certificate" } }],
		["an entry that is not an address", "mobile-money", { settings: { allow_ips: ["10.0.0.1/33"] } }, { status: 400, body: { code: "invalid_input", field: "settings.allow_ips.0" } }],
		["a secret of the other gateway", "mobile-money", { secrets: { secret_key: "x" } }, { status: 400, body: { code: "invalid_input" } }],
	])("refuse %s", async (...[, name, body, expected]) => {
		expect(await operator("PUT", `/gateways/${name}`, body)).toMatchObject(expected);
	});

	test("a rotated credential is retired once, the one for calls never, and an unknown one is not found", async () => {
		await operator("PUT", "/gateways/card-gateway", { secrets: { secret_key: "sk_test_first_1111" } });
		const rotated = await operator("POST", "/gateways/card-gateway/rotate", {
			secrets: { secret_key: "sk_test_second_2222" },
		});
		const [current, before] = rotated.body["credentials"] as Array<{ id: string; retires_at: string | null }>;
		expect(current?.retires_at).toBeNull();
		expect(Date.parse(before?.retires_at ?? "") - Date.now()).toBeGreaterThan(71 * 3_600_000);
		expect(rotated.body["credentials"]).toMatchObject([
			{ secrets: { secret_key: { last4: "2222" } } },
			{ secrets: { secret_key: { last4: "1111" } } },
		]);
		expect(JSON.stringify(rotated.body)).not.toContain("sk_test_");
		const retire = (credential_id: string | undefined) =>
			operator("POST", "/gateways/card-gateway/retire", { credential_id });
		expect(await retire(current?.id)).toMatchObject({ status: 409, body: { code: "last_credential" } });
		expect(await retire(before?.id)).toMatchObject({
			status: 200,
			body: { credentials: [{ id: current?.id }] },
		});
		expect(await retire(before?.id)).toMatchObject({ status: 404, body: { code: "credential_not_found" } });
		expect(await listAudited(stand.database.db, "gateway.rotated")).toHaveLength(1);
		expect(await listAudited(stand.database.db, "gateway.retired")).toHaveLength(1);
	});
});

const paybill = { shortcode: "600200", kind: "paybill" };

describe("the tenant's shortcode", () => {
	test("has secrets that are written only, of which absent ones stay and null ones go", async () => {
		expect(await administrator("uhai", "GET")).toMatchObject({
			body: { shortcode: null, is_active: false, secrets: { passkey: null }, version: 0 },
		});
		const secrets = { initiator_password: "a-long-password", passkey: "a-long-passkey" };
		const given = { ...paybill, initiator_name: "uhai-api", account_reference: "UHAI", ...secrets };
		const set = await administrator("uhai", "PUT", given);
		expect(set).toMatchObject({
			status: 200,
			body: {
				...paybill,
				initiator_name: "uhai-api",
				is_active: true,
				secrets: { initiator_password: shown, passkey: shown },
			},
		});
		expect(JSON.stringify(set.body)).not.toMatch(/a-long-pass/);
		const changed = await administrator("uhai", "PUT", {
			...paybill,
			unknown_accounts: "reject",
			passkey: null,
		});
		expect(changed.body).toMatchObject({
			...{ initiator_name: null, unknown_accounts: "reject", version: 2 },
			secrets: { initiator_password: shown, passkey: null },
		});
	});

	test("belongs to one tenant until that tenant takes another one, which begins without secrets", async () => {
		await administrator("uhai", "PUT", { ...paybill, initiator_password: "a-long-password" });
		expect(await administrator("kahawa", "PUT", { ...paybill, kind: "till" })).toMatchObject({
			...{ status: 409, body: { code: "shortcode_taken", field: "shortcode" } },
		});
		const other = await administrator("uhai", "PUT", { ...paybill, shortcode: "600201" });
		expect(other.body).toMatchObject({ shortcode: "600201", secrets: { initiator_password: null } });
		expect(await administrator("kahawa", "PUT", { ...paybill, kind: "till" })).toMatchObject({ status: 200 });
	});

	test("is not active in production until it is verified", async () => {
		await operator("PUT", "/gateways/mobile-money", {
			environment: "production",
			base_url: "https://money.example",
		});
		expect((await administrator("uhai", "PUT", paybill)).status).toBe(409);
		expect(await administrator("uhai", "PUT", { ...paybill, shortcode: "600202" })).toMatchObject({
			body: { is_active: false },
		});
		await operator("PUT", "/gateways/mobile-money", { environment: "sandbox" });
	});

	test.each([
		["a number that is too short", { ...paybill, shortcode: "12" }],
		["an account reference of more than 12 characters", { ...paybill, account_reference: "1234567890123" }],
	])("is refused with %s", async (_title, body) => {
		expect(await administrator("uhai", "PUT", body)).toMatchObject({
			status: 400,
			body: { code: "invalid_input" },
		});
	});
});
