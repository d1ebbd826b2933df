import { buildService } from "@lango/chassis";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { treasury } from "../src/service.ts";
import { fixture, startTestGateway } from "./gateways/test-gateway.ts";

const gateway = setUp(startTestGateway);
const stand = setUp(() =>
	openStand({
		service: treasury,
		build: buildService,
		environment: {
			TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
			...{ CARDGW_URL: gateway.url, CARDGW_SECRET_KEY: "sk_test_1" },
		},
	}),
);
const withoutGateway = setUp(() =>
	openStand({
		service: treasury,
		build: buildService,
		environment: { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` },
	}),
);

type Tenant = "uhai" | "kahawa";
const ask = (
	method: string,
	path: string,
	{ body, tenant = "uhai" }: { body?: object; tenant?: Tenant } = {},
) =>
	stand.call({
		...{ method, url: `/api/v1/${tenant}/treasury${path}`, body },
		token: stand.token(stand.tenants[tenant], "admin"),
	});

const account = {
	...{ type: "bank", name: "Uhai Hospital", account_number: "01000000010" },
	...{ bank_code: "68", currency: "KES" },
};
const add = (change: object = {}, tenant: Tenant = "uhai") =>
	ask("POST", "/recipients", { body: { ...account, ...change }, tenant });
const config = { schedule: "daily", minimum_minor: 100_000 };

beforeEach(() => {
	gateway.received.length = 0;
	gateway.answerWith(({ url }) => fixture(`card-gateway/${url.startsWith("/bank") ? "banks" : "recipient"}`));
});

test("a recipient is registered at the gateway once for each account, and shown by its last characters", async () => {
	const added = await add();
	expect(added).toMatchObject({
		status: 201,
		body: { type: "bank", masked_account: "•••• 0010", bank_name: "Equity Bank", status: "active" },
	});
	expect(JSON.stringify(added.body)).not.toContain("01000000010");
	expect(await add({ name: "Again" })).toMatchObject({ status: 200, body: { id: added.body["id"] } });
	// The list of banks may be asked for as well.
	expect(gateway.received.filter(({ method }) => method === "POST")).toHaveLength(1);
	expect((await ask("GET", "/recipients")).body["items"]).toEqual([added.body]);
	expect((await ask("GET", "/recipients", { tenant: "kahawa" })).body["items"]).toEqual([]);
});

test("the payout configuration has the code of its recipient, which cannot be removed while it is used", async () => {
	const { id } = (await add({ account_number: "0200000002" })).body;
	expect(await ask("GET", "/payout-config")).toMatchObject({
		body: {
			...{ recipient_id: null, recipient_code: null, schedule: "manual" },
			...{ approval_above_minor: 5_000_000, approval_above_max_minor: 5_000_000 },
		},
	});
	const set = await ask("PUT", "/payout-config", { body: { ...config, recipient_id: id } });
	expect(set).toMatchObject({
		status: 200,
		body: { ...config, recipient_id: id, recipient_code: "RCP_m7ljkv8leesep7p" },
	});
	expect(await ask("DELETE", `/recipients/${id}`)).toMatchObject({
		status: 409,
		body: { code: "recipient_in_use" },
	});
	await ask("PUT", "/payout-config", { body: { ...config, approval_above_minor: 0 } });
	expect(await ask("GET", "/payout-config")).toMatchObject({
		body: { recipient_id: null, approval_above_minor: 0, approval_above_max_minor: 5_000_000 },
	});
	expect((await ask("DELETE", `/recipients/${id}`)).status).toBe(204);
	expect(await ask("DELETE", `/recipients/${id}`)).toMatchObject({
		status: 404,
		body: { code: "recipient_not_found" },
	});
	expect(await add({ account_number: "0200000002" })).toMatchObject({ status: 201 });
});

test("a payout configuration above the platform's limit of approval, or with another tenant's recipient, is refused", async () => {
	const { id } = (await add({}, "kahawa")).body;
	expect(
		await ask("PUT", "/payout-config", { body: { ...config, approval_above_minor: 5_000_001 } }),
	).toMatchObject({
		...{ status: 400, body: { code: "invalid_input", field: "approval_above_minor" } },
	});
	expect(await ask("PUT", "/payout-config", { body: { ...config, recipient_id: id } })).toMatchObject({
		...{ status: 404, body: { code: "recipient_not_found", field: "recipient_id" } },
	});
});

test("banks are kept for 24 hours, each list for itself", async () => {
	const kenya = "/banks?country=kenya&type=mobile_money&pay_with_bank_transfer=true";
	const { body } = await ask("GET", kenya);
	expect(body["items"]).toContainEqual({ code: "68", name: "Equity Bank", type: "kepss", currency: "KES" });
	await ask("GET", kenya);
	// The daily comparison asks for other lists.
	const asked = () => gateway.received.flatMap(({ url = "" }) => (url.startsWith("/bank") ? url : []));
	expect(asked()).toEqual(["/bank?country=kenya&type=mobile_money&pay_with_bank_transfer=true"]);
	await ask("GET", "/banks?country=ghana");
	expect(asked()).toHaveLength(2);
});

test("a refusal of the gateway has its code and not its words, and a gateway that does not answer is unavailable", async () => {
	gateway.answerWith(() => ({
		status: 400,
		body: { status: false, message: "Amina's bank is closed", code: "invalid_bank_code" },
	}));
	const refused = await add({ account_number: "0300000003" });
	expect(refused).toMatchObject({
		...{ status: 409, body: { code: "gateway_refused", gateway_code: "invalid_bank_code" } },
	});
	expect(JSON.stringify(refused.body)).not.toContain("Amina");
	gateway.answerWith(() => "reset");
	expect(await add({ account_number: "0300000003" })).toMatchObject({
		...{ status: 503, body: { code: "gateway_unavailable" } },
	});
});

test("without a card gateway neither banks nor recipients are available", async () => {
	const call = (method: string, path: string, body?: object) =>
		withoutGateway.call({
			...{ method, url: `/api/v1/uhai/treasury${path}`, body },
			token: withoutGateway.token(withoutGateway.tenants.uhai, "admin"),
		});
	expect(await call("GET", "/banks")).toMatchObject({ status: 409, body: { code: "channel_unavailable" } });
	expect(await call("POST", "/recipients", account)).toMatchObject({ body: { code: "channel_unavailable" } });
});

test("a tenant has a hundred active recipients at most; a known account needs no further one", async () => {
	for (const { id } of (await ask("GET", "/recipients?limit=100", { tenant: "kahawa" })).body[
		"items"
	] as Item[])
		await ask("DELETE", `/recipients/${id}`, { tenant: "kahawa" });
	const addNth = (nth: number) => add({ account_number: String(800_000_000 + nth) }, "kahawa");
	for (let nth = 1; nth < 100; nth += 1) expect((await addNth(nth)).status).toBe(201);
	const { id } = (await addNth(100)).body;
	gateway.received.length = 0;
	expect(await addNth(101)).toMatchObject({ status: 409, body: { code: "recipients_full" } });
	expect(gateway.received).toEqual([]);
	expect(await addNth(100)).toMatchObject({ status: 200, body: { id } });
	expect((await ask("DELETE", `/recipients/${id}`, { tenant: "kahawa" })).status).toBe(204);
	expect((await addNth(101)).status).toBe(201);
});

type Item = { id: string };
