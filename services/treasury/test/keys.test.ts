import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { type KeyEncryptionKeys, unseal } from "@lango/tokens";
import { expect, test } from "vitest";
import {
	findAuthorization,
	listAuthorizations,
} from "../src/card-authorizations/card-authorization.store.ts";
import { authorizationContext } from "../src/card-authorizations/card-authorization.ts";
import { keepCard } from "../src/card-authorizations/keep-card.ts";
import { listCredentials } from "../src/gateways/profiles/credential.store.ts";
import { openSecrets } from "../src/gateways/profiles/credential.ts";
import { getProfile } from "../src/gateways/profiles/profile.store.ts";
import { renewSeals } from "../src/keys/renew-seals.ts";
import { listOlderSeals } from "../src/measurements/older-seal.store.ts";
import { findIntent } from "../src/payments/intent.store.ts";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addRecipient, findRecipientOf } from "../src/recipients/recipient.store.ts";
import { type Account, fingerprintsOf, maskAccount, sealAccount } from "../src/recipients/recipient.ts";
import { addBill } from "./add-bill.ts";
import { keys, openGatewaysAt } from "./gateways/gateways-at.ts";
import { keptLog } from "./gateways/shortcode-at.ts";

const at = setUp(async () => {
	const opened = await openGatewaysAt("http://127.0.0.1:1");
	return { ...opened, close: () => opened.database.drop() };
});

const newest = { id: "newest", key: Buffer.alloc(32, 9) };
const account: Account & { name: string } = {
	...{ type: "bank", name: "Uhai", bankCode: "68", currency: "KES", accountNumber: "0100200300" },
};
const settings = { consoleUrl: "https://console.lango.example" };

/** Credentials of the platform and of a tenant, a bill and a recipient, all under the older key. */
async function fill() {
	const { db } = at.database;
	const { tenantId } = at;
	await at.setPlatform("card_gateway", { secret_key: "sk_test_first" });
	await at.setTenant({ initiator_password: "Tests-2026!" });
	return inTenant(db, tenantId, async (tx) => {
		const { accountNumber, ...shown } = account;
		const [fingerprint = Buffer.alloc(0)] = fingerprintsOf(keys, account);
		await addRecipient(tx, {
			...{ ...shown, tenantId, id: crypto.randomUUID(), bankName: undefined, recipientCode: "RCP_1" },
			...{ maskedAccount: maskAccount(accountNumber), createdAt: new Date(), fingerprint },
			account: sealAccount(keys, accountNumber),
		});
		const shownCard = { brand: "visa", last4: "4081", expMonth: 12, expYear: 2035, customerCode: "CUS_1" };
		await keepCard(tx, {
			...{ tenantId, payee: "tenant", userId: null, card: { ...shownCard, code: "AUTH_1" }, keys },
			now: new Date(),
		});
		return addBill(tx, tenantId);
	});
}

const older = () => listOlderSeals(at.database.db, { newest: newest.id, limit: 100 });
const renewWith = async (known: KeyEncryptionKeys) => {
	const { log, lines } = keptLog();
	const parts = { db: at.database.db, keys: [newest, ...known], log };
	await renewSeals(parts, AbortSignal.timeout(20_000));
	return lines;
};

test("after a rotation stored values are encrypted under the newest key, and then need no older one", async () => {
	const { db } = at.database;
	const bill = await fill();
	expect((await older()).map(({ table }) => table).toSorted()).toEqual([
		...[
			"card_authorizations",
			"gateway_credentials",
			"intents",
			"platform_gateway_credentials",
			"recipients",
		],
	]);

	expect(await renewWith([{ id: "missing", key: Buffer.alloc(32, 1) }])).toHaveLength(1);
	expect(await older()).toHaveLength(5);
	expect(await renewWith(keys)).toHaveLength(0);
	expect(await older()).toEqual([]);

	const { id: profileId } = await getProfile(db, "card_gateway");
	const [credential] = await listCredentials(db, { tenantId: undefined, profileId, now: at.clock.now });
	if (credential === undefined) throw new Error("the credential is missing");
	const place = { id: credential.id, owner: "platform", purpose: "card_gateway" } as const;
	expect(openSecrets([newest], place, credential)).toEqual({ secret_key: "sk_test_first" });
	const before = payUrlOf(bill, { keys, settings });
	await inTenant(db, at.tenantId, async (tx) => {
		const found = await findIntent(tx, bill.id);
		expect(found && payUrlOf(found, { keys: [newest], settings })).toBe(before);
		expect(await findRecipientOf(tx, fingerprintsOf([newest], account))).toBeDefined();
		const [kept] = await listAuthorizations(tx, { payee: "tenant", now: new Date() });
		const card = await findAuthorization(tx, { id: kept?.id ?? "", payee: "tenant" });
		expect(card && unseal([newest], authorizationContext, card.code)).toBe("AUTH_1");
	});
});
