import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, type Scene, walkForeign } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { treasury } from "../src/service.ts";
import { fixture, startTestGateway } from "./gateways/test-gateway.ts";

const gateway = setUp(startTestGateway, (started) => started.close());

const base = "/api/v1/:tenant/treasury";
let accounts = 0;
/** A recipient of an account of its own. */
function newRecipient() {
	gateway.answerWith(() => fixture("card-gateway/recipient"));
	accounts += 1;
	const account_number = String(100_000_000 + accounts);
	return { type: "bank", name: "Recipient", account_number, bank_code: "68", currency: "KES" };
}

const policy = {
	base,
	samples: {
		[`POST ${base}/recipients`]: () => ({ body: newRecipient() }),
		[`DELETE ${base}/recipients/:id`]: async ({ make }: Scene) => ({
			params: { id: String((await make("POST", `${base}/recipients`, newRecipient())).id) },
		}),
		"GET /api/v1/platform/accounts/:id/postings": () => ({ params: { id: crypto.randomUUID() } }),
	},
};
const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const environment = { TREASURY_KEY_ENCRYPTION_KEYS: encryptionKeys };
const stand = setUp(() =>
	openStand({
		...{ service: treasury, build: buildService },
		environment: { ...environment, CARDGW_URL: gateway.url, CARDGW_SECRET_KEY: "sk_test_1" },
	}),
);

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(30);
}, 120_000);

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
