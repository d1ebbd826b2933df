import { generateKeyPairSync } from "node:crypto";
import type { Environment } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { hashSecret, mintSecret, readKeyEncryptionKeys } from "@lango/tokens";
import { findPlatformProviderId, type ProviderChange, saveProvider } from "./accounts/provider.store.ts";
import { createVault, type Vault } from "./addresses/sealed-address.ts";
import { settings } from "./config.ts";
import { changeCredit } from "./credits/change-credit.ts";
import { addPack, type CreditPack } from "./credits/pack.store.ts";
import { webhookUrlOf } from "./providers/webhook-url.ts";

type DemoProvider = Required<Pick<ProviderChange, "channel" | "kind" | "name" | "restingWeight">> & {
	baseUrl?: string;
	credentials: object;
	/** The vendor has the address of the webhook in its own settings, and signs with this. */
	reports?: { secret?: string };
};

const creditOfUhai = 500;
const sale = { currency: "KES", isOnSale: true };
const packs: readonly CreditPack[] = [
	{ code: "sms_100", segments: 100, priceMinor: 12_000, ...sale },
	{ code: "sms_500", segments: 500, priceMinor: 50_000, ...sale },
	{ code: "sms_2000", segments: 2_000, priceMinor: 180_000, ...sale },
];

/**
 * Creates the providers of the platform that lead to the sandbox (development only): e-mail over SMTP, and
 * where the environment has the sandbox's HTTP port, SMS by two vendors, WhatsApp and push. Existing ones get
 * the sandbox's current address, and the sandbox the addresses of their webhooks. Adds packs of SMS credit
 * that do not exist yet, and gives the demo hospital credit once. Throws if the sandbox cannot be reached.
 */
export async function seedDemoNotifications(
	db: Database,
	{
		now,
		environment,
		tenants,
	}: { now: Date; environment: Environment; tenants: ReadonlyArray<{ slug: string; id: string }> },
): Promise<void> {
	const { NOTIFICATIONS_KEY_ENCRYPTION_KEYS: keys = "" } = environment;
	const vault = createVault(readKeyEncryptionKeys(keys));
	const webhooks: Record<string, object> = {};
	for (const provider of providersOf(environment)) {
		const address = await saveDemoProvider(db, { provider, vault, now });
		const url = webhookUrlOf({ publicUrl: publicUrlOf(environment), ...address });
		if (provider.reports !== undefined) webhooks[provider.kind] = { url, ...provider.reports };
	}
	await setWebhooks(environment, webhooks);
	for (const pack of packs) await addPack(db, pack, now);
	const uhai = tenants.find(({ slug }) => slug === "uhai");
	if (uhai === undefined) return;
	await ensureTenant(db, uhai.id);
	const change = { tenantId: uhai.id, kind: "grant" as const, segments: creditOfUhai, reason: "demo" };
	await inTenant(db, uhai.id, (tx) =>
		changeCredit(tx, { ...change, madeBy: "npm start", requestKey: "demo", now }),
	);
}

function providersOf(environment: Environment): DemoProvider[] {
	const { MESSAGES_SANDBOX_SMTP_PORT: smtpPort, MESSAGES_SANDBOX_PORT: port } = environment;
	const mail: DemoProvider = {
		...{ channel: "email", kind: "smtp", name: "sandbox", restingWeight: 100 },
		credentials: { host: "localhost", port: Number(smtpPort), secure: false, requireTls: false },
	};
	if (port === undefined) return [mail];
	const at = (kind: string) => ({ kind, baseUrl: `http://127.0.0.1:${port}/${kind}` });
	return [
		mail,
		{
			...{ channel: "sms", name: "sandbox-africastalking", restingWeight: 70, ...at("africastalking") },
			credentials: { username: "sandbox", apiKey: "sandbox", senderId: "LANGO" },
			reports: {},
		},
		{
			...{ channel: "sms", name: "sandbox-twilio", restingWeight: 30, ...at("twilio") },
			credentials: { accountSid: `AC${"0".repeat(32)}`, authToken: "sandbox", from: "+15005550006" },
		},
		{
			...{ channel: "whatsapp", name: "sandbox-whatsapp", restingWeight: 100, ...at("whatsapp_cloud") },
			credentials: { phoneNumberId: "106540352242922", accessToken: "sandbox", appSecret: "sandbox" },
			reports: { secret: "sandbox" },
		},
		{
			...{ channel: "push", name: "sandbox-fcm", restingWeight: 100, ...at("fcm") },
			credentials: { projectId: "lango-demo", clientEmail: "push@lango.example", privateKey: newKey() },
		},
	];
}

const publicUrlOf = ({ NOTIFICATIONS_PUBLIC_URL: url }: Environment) =>
	settings.publicUrl.read(url ?? "http://localhost:4002");

/** The sandbox does not verify signatures of FCM's accounts. */
function newKey(): string {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

async function setWebhooks(environment: Environment, webhooks: object): Promise<void> {
	const { MESSAGES_SANDBOX_PORT: port } = environment;
	if (port === undefined) return;
	const response = await fetch(`http://127.0.0.1:${port}/control/webhooks`, {
		...{ method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(webhooks) },
		signal: AbortSignal.timeout(5_000),
	});
	if (!response.ok) throw new Error(`the sandbox of messages answered ${response.status}`);
}

/** Returns what the address of the provider's webhook consists of. */
async function saveDemoProvider(
	db: Database,
	{ provider, vault, now }: { provider: DemoProvider; vault: Vault; now: Date },
): Promise<{ id: string; webhookToken: string }> {
	const { credentials, reports: _reports, ...rest } = provider;
	const webhookToken = mintSecret();
	const sealed = vault.sealCredentials({ credentials, webhookToken });
	const pace = { perSecond: 100, inFlightMax: 20 };
	const change = {
		...{ ...rest, ...pace, secrets: sealed, webhookTokenHash: hashSecret(webhookToken) },
		...{ isEnabled: true, createdBy: "npm start" },
	};
	const known = await findPlatformProviderId(db, provider);
	const id = await saveProvider(db, {
		...{ ...(known !== undefined && { id: known }), tenantId: undefined, change, now },
	});
	if (id === undefined) throw new Error(`the provider ${provider.name} was removed meanwhile`);
	return { id, webhookToken };
}
