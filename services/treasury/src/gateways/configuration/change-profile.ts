import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { type AuditEntry, recordAudit } from "@lango/access";
import { chassisFailures } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { gatewayFailures } from "../calls/failures.ts";
import { isPrivateLiteral } from "../calls/public-address.ts";
import { listCredentials, retirePlatformCredential } from "../profiles/credential.store.ts";
import type { GatewayKind } from "../profiles/credential.ts";
import { changeProfile, getProfile, type ProfileChange } from "../profiles/profile.store.ts";
import { type SecretChange, setSecrets } from "../profiles/set-secrets.ts";

/** What an operator's change needs, and who the operator is. */
export type Changing = {
	db: Database;
	now: () => Date;
	keys: KeyEncryptionKeys;
	/** Whether this process serves production: then every gateway must be https and public. */
	isPublicOnly: boolean;
	operator: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/** How long a credential verifies webhooks after another one took its place. */
const retiringHours = 72;

const audit = (
	db: Database,
	{ now, operator }: Changing,
	entry: Pick<AuditEntry, "action" | "subject" | "detail">,
) => recordAudit(db, { tenantId: undefined, at: now(), ...operator, ...entry });

/**
 * Changes the profile of a gateway. New secrets replace those before at once. Throws `url_refused`,
 * `certificate_invalid` and `invalid_input`.
 */
export async function configureProfile(
	changing: Changing,
	kind: GatewayKind,
	{ change, secrets = {} }: { change: ProfileChange; secrets?: SecretChange | undefined },
): Promise<void> {
	const { db, keys, now } = changing;
	await db.transaction(async (tx) => {
		const profile = await getProfile(tx, kind);
		const environment = change.environment ?? profile.environment;
		const isPublicOnly = changing.isPublicOnly || environment === "production";
		requireUrl(change.baseUrl ?? profile.baseUrl, isPublicOnly);
		if (change.certificate !== undefined) requireCertificate(change.certificate);
		requireNetworks((change.settings as { allow_ips?: readonly string[] } | undefined)?.allow_ips);
		await changeProfile(tx, kind, { change, now: now() });
		await setSecrets(tx, keys, {
			...{ tenantId: undefined, profileId: profile.id, purpose: kind, change: secrets, now: now() },
		});
		const detail = { ...change, secrets: Object.keys(secrets) };
		await audit(tx, changing, { action: "gateway.changed", subject: kind, detail });
	});
}

/**
 * The address of a gateway is the operator's alone. In production it must be https, and is looked up for
 * each call.
 */
function requireUrl(baseUrl: string | undefined, isPublicOnly: boolean): void {
	if (baseUrl === undefined) return;
	const refuse = () => gatewayFailures.url_refused({ fields: { field: "base_url", in: "body" } });
	const url = URL.parse(baseUrl);
	if (url === null || url.username !== "" || url.search !== "" || url.hash !== "") throw refuse();
	if (isPublicOnly && (url.protocol !== "https:" || url.hostname === "localhost" || isPrivateLiteral(url)))
		throw refuse();
}

function requireCertificate(certificate: string): void {
	const refuse = () => gatewayFailures.certificate_invalid({ fields: { field: "certificate", in: "body" } });
	try {
		if (createPublicKey(certificate).asymmetricKeyType !== "rsa") throw refuse();
	} catch {
		throw refuse();
	}
}

/** Throws `invalid_input` for an entry that is neither an address nor a network. */
function requireNetworks(networks: readonly string[] = []): void {
	networks.forEach((one, index) => {
		const [address = "", bits] = one.split("/");
		const version = isIP(address);
		const isNetwork =
			bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
		if (version !== 0 && isNetwork) return;
		throw chassisFailures.invalid_input({
			message: "allow_ips has an entry that is neither an address nor a network.",
			fields: { field: `settings.allow_ips.${index}`, in: "body" },
		});
	});
}

/**
 * The new secrets are used for calls at once; those before verify webhooks for 72 hours, or until they are
 * retired.
 */
export async function rotateSecrets(
	changing: Changing,
	kind: GatewayKind,
	secrets: SecretChange,
): Promise<void> {
	const { db, keys, now } = changing;
	await db.transaction(async (tx) => {
		const { id: profileId } = await getProfile(tx, kind);
		const previousUntil = new Date(now().getTime() + retiringHours * 3_600_000);
		await setSecrets(tx, keys, {
			...{ tenantId: undefined, profileId, purpose: kind, change: secrets, previousUntil, now: now() },
		});
		const detail = { secrets: Object.keys(secrets) };
		await audit(tx, changing, { action: "gateway.rotated", subject: kind, detail });
	});
}

/**
 * Ends a credential that was replaced. Throws `last_credential` for the one for calls, and
 * `credential_not_found`.
 */
export async function retireSecrets(changing: Changing, kind: GatewayKind, id: string): Promise<void> {
	const { db, now } = changing;
	await db.transaction(async (tx) => {
		const { id: profileId } = await getProfile(tx, kind);
		const [current] = await listCredentials(tx, { tenantId: undefined, profileId, now: now() });
		if (current?.id === id) throw gatewayFailures.last_credential();
		if (!(await retirePlatformCredential(tx, { id, profileId, now: now() })))
			throw gatewayFailures.credential_not_found();
		await audit(tx, changing, { action: "gateway.retired", subject: kind, detail: { credential_id: id } });
	});
}
