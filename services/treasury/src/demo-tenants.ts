import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { findBillingMethod, updateBillingMethod } from "./billing/methods/billing-method.store.ts";
import { createCallGateway } from "./gateways/calls/call-gateway.ts";
import { configureShortcode } from "./gateways/configuration/configure-shortcode.ts";
import { openGateways } from "./gateways/open-gateways.ts";
import { findPayoutConfig, savePayoutConfig } from "./gateways/shortcodes/payout-config.store.ts";
import { findTenantGateway } from "./gateways/shortcodes/tenant-gateway.store.ts";
import { registerRecipient } from "./recipients/register-recipient.ts";

type Parts = { db: Database; keys: KeyEncryptionKeys; now: () => Date };
type DemoTenant = { id: string; slug: string };

/** The accounts of the mobile-money sandbox (its README), of which each demo tenant has one. */
const shortcodes = {
	lango: { shortcode: "600100", kind: "paybill" },
	uhai: { shortcode: "600200", kind: "paybill" },
	kahawa: { shortcode: "600300", kind: "till" },
	duka: { shortcode: "600400", kind: "paybill" },
} as const;
const initiator = { name: "sandbox-initiator", password: "Sandbox-2026!" };
/** Of a bank of the card gateway's sandbox. */
const bankAccounts = {
	uhai: { name: "Uhai Hospital", accountNumber: "1100200300401" },
	kahawa: { name: "Kahawa Café", accountNumber: "1100200300402" },
	duka: { name: "Duka Stores", accountNumber: "1100200300403" },
} as const;
/** Phones of the sandbox that end in 001 accept every prompt. */
const phones = { uhai: "254711000001", kahawa: "254712000001", duka: "254713000001" } as const;

const by = { actor: { kind: "system", id: "npm start" } } as const;

/** Gives a demo tenant its shortcode, unless it has one. */
export async function giveShortcode(parts: Parts, { id: tenantId, slug }: DemoTenant): Promise<void> {
	const account = ofSlug(shortcodes, slug);
	if (account === undefined) return;
	await ensureTenant(parts.db, tenantId);
	if ((await inTenant(parts.db, tenantId, findTenantGateway)) !== undefined) return;
	const rules = { unknownAccounts: "accept", refundExcess: false } as const;
	await configureShortcode(parts, {
		...{ tenantId, by, secrets: { initiator_password: initiator.password } },
		change: {
			...{ ...account, ...rules, initiatorName: initiator.name },
			accountReference: slug.toUpperCase(),
		},
	});
}

/** Gives a demo tenant a phone that pays its renewals, unless it has a billing method. */
export async function givePhone({ db, now }: Parts, { id: tenantId, slug }: DemoTenant): Promise<void> {
	const phone = ofSlug(phones, slug);
	if (phone === undefined) return;
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, async (tx) => {
		if ((await findBillingMethod(tx)).version > 0) return;
		await updateBillingMethod(tx, tenantId, { kind: "push", phone, email: null, now: now() });
	});
}

/** Registers a bank account as the recipient of a demo tenant's payouts, unless it has a recipient. */
export async function giveRecipient(parts: Parts, { id: tenantId, slug }: DemoTenant): Promise<void> {
	const account = ofSlug(bankAccounts, slug);
	if (account === undefined) return;
	const { db, now } = parts;
	await ensureTenant(db, tenantId);
	const config = await inTenant(db, tenantId, findPayoutConfig);
	if (config.recipientId !== undefined) return;
	const settings = { cardgwSecretKey: undefined, cardgwWebhookSecret: undefined };
	const call = createCallGateway({ log: { info() {}, warn() {} }, isPublicOnly: false });
	const { recipient } = await registerRecipient(
		{ ...parts, gateways: openGateways({ ...parts, call, settings }) },
		{ tenantId, by, type: "bank", currency: "KES", bankCode: "11", ...account },
	);
	const { id: recipientId, recipientCode } = recipient;
	const changed = { ...config, recipientId, recipientCode };
	await inTenant(db, tenantId, (tx) => savePayoutConfig(tx, { tenantId, config: changed, now: now() }));
}

const ofSlug = <T>(of: Readonly<Record<string, T>>, slug: string): T | undefined =>
	Object.hasOwn(of, slug) ? of[slug] : undefined;
