import type { Database } from "@lango/postgres";
import Value from "typebox/value";
import { comparableAddress, normaliseAddress } from "../addresses/address.ts";
import type { Vault } from "../addresses/sealed-address.ts";
import { failures } from "../failures.ts";
import type { Outcome } from "../provider.ts";
import { findWebhookProvider } from "../providers/account.store.ts";
import { type AnyAdapter, findAdapter } from "../providers/adapters.ts";
import { HostForbidden, resolveMailHost } from "../providers/connections/host-policy.ts";
import { openStoredAccount } from "../providers/open-accounts.ts";

/** Returns the adapter of a kind. Throws `credentials_invalid` if no such kind serves the channel. */
export function requireAdapter(kind: string, channel: string): AnyAdapter {
	const adapter = findAdapter(kind);
	if (adapter === undefined || !(adapter.channels as readonly string[]).includes(channel))
		throw failures.credentials_invalid({
			message: `There is no provider of the kind ${JSON.stringify(kind)} for ${channel}.`,
			fields: { field: "kind", in: "body" },
		});
	return adapter;
}

/**
 * Returns the credentials to encrypt, and apart from them the sender's address of a tenant's own provider of
 * e-mail, which every mail shows. Throws `credentials_invalid`, naming the member, if the credentials have
 * not the shape of the kind, or the sender's address is missing or not an address. Throws `host_forbidden` if
 * a tenant names a mail server that it must not reach through the platform.
 */
export async function requireCredentials(
	adapter: AnyAdapter,
	{ credentials, owner }: { credentials: unknown; owner: "platform" | "tenant" },
): Promise<{ secrets: unknown; sender: { fromAddress?: string } }> {
	if (!Value.Check(adapter.credentials, credentials)) {
		const [first] = Value.Errors(adapter.credentials, credentials);
		const { requiredProperties: [missing] = [] } = (first?.params ?? {}) as { requiredProperties?: string[] };
		const place = [first?.instancePath.slice(1).replaceAll("/", "."), missing].filter(Boolean).join(".");
		const field = place === "" ? "credentials" : `credentials.${place}`;
		const problem = missing === undefined ? (first?.message ?? "is not valid") : "is missing";
		throw failures.credentials_invalid({
			message: `${field} ${problem}.`,
			fields: { field, in: "body" },
		});
	}
	if (adapter.channels.includes("email")) requireFromAddress(credentials as MailSender, owner);
	if (adapter.kind === "smtp") await requireMailHost(credentials as SmtpServer, owner);
	const { fromAddress, ...secrets } = credentials as MailSender;
	return { secrets, sender: { ...(fromAddress !== undefined && { fromAddress }) } };
}

type MailSender = { fromAddress?: string };

/**
 * A tenant's own provider may not send for the platform's domain, so mail through it comes from an address of
 * the tenant. Mail through the platform's providers comes from the platform's.
 */
function requireFromAddress({ fromAddress: given }: MailSender, owner: "platform" | "tenant"): void {
	const refuse = (problem: string) =>
		failures.credentials_invalid({
			message: `credentials.fromAddress ${problem}`,
			fields: { field: "credentials.fromAddress", in: "body" },
		});
	if (owner === "platform" && given === undefined) return;
	if (owner === "platform") throw refuse("is not for the platform's providers: the setting names it.");
	if (given === undefined) throw refuse("is missing: mail through your own provider needs your own address.");
	const read = normaliseAddress("email", given, "");
	const address = "ok" in read && read.ok.kind === "address" ? read.ok.address : "";
	// A mail server may not know an address in another form, such as one with letters outside ASCII.
	if (comparableAddress("email", address) !== comparableAddress("email", given))
		throw refuse("must be one e-mail address.");
}

type SmtpServer = { host: string; port: number; secure: boolean; requireTls: boolean };

async function requireMailHost(
	{ host, port, secure, requireTls }: SmtpServer,
	owner: "platform" | "tenant",
): Promise<void> {
	if (owner === "platform") return;
	const refuse = (message: string) =>
		failures.host_forbidden({ message, fields: { field: "credentials.host", in: "body" } });
	try {
		await resolveMailHost({ host, port, isEncrypted: secure || requireTls, owner });
	} catch (error) {
		if (!(error instanceof HostForbidden)) throw refuse("The mail server was not found.");
		throw refuse(forbidden[error.code]);
	}
}

const forbidden = {
	port_forbidden: "The port must be 465, 587 or 2525.",
	tls_required: "The connection must be encrypted: set secure or requireTls.",
	address_forbidden: "The mail server must have public addresses.",
} as const;

const timeoutMs = 20_000;

/** Tries the stored credentials of a provider, enabled or not. Throws `provider_not_found`. */
export async function tryCredentials(
	{ db, vault }: { db: Database; vault: Vault },
	id: string,
): Promise<Outcome> {
	const stored = await findWebhookProvider(db, id);
	const adapter = stored && findAdapter(stored.kind);
	if (stored === undefined || adapter === undefined) throw failures.provider_not_found();
	const account = openStoredAccount(vault, id, stored);
	const { connection, close } = adapter.connect?.(account) ?? { connection: undefined, close: () => {} };
	try {
		return await adapter.check({ ...account, connection }, { signal: AbortSignal.timeout(timeoutMs) });
	} finally {
		close();
	}
}
