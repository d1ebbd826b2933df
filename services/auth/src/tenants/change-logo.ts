import { hash } from "node:crypto";
import type { TenantSettings } from "@lango/contracts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { recordSettings } from "./change-settings.ts";
import { recordLogo, removeLogos } from "./logo.store.ts";

type Uploading = { tenantId: string; content: Buffer; mediaType: string };

/**
 * The public address of a stored logo. It names the tenant by its id, so that it stays valid after a change
 * of the slug.
 */
const logoAddress = (authUrl: string, { tenantId, id }: { tenantId: string; id: string }): string =>
	`${authUrl}/api/v1/tenants/${tenantId}/logo/${id}`;

/**
 * Encodes an uploaded image and makes it the tenant's logo. The image is encoded before the transaction
 * begins. The previous logo stays stored, because pages may use its address for hours; older ones are
 * removed. Throws what the encoder throws, and `tenant_not_found`.
 */
export async function changeLogo(
	{ db, settings, encodeLogo }: Pick<Dependencies, "db" | "settings" | "encodeLogo">,
	{ tenantId, ...upload }: Uploading,
	origin: Origin,
): Promise<TenantSettings> {
	const content = await encodeLogo(upload);
	const id = hash("sha256", content, "hex");
	const url = logoAddress(settings.authUrl, { tenantId, id });
	return recordSettings(db, { tenantId, origin }, async (tx, before) => {
		const previous = /[0-9a-f]{64}$/.exec(before.branding.logo_url ?? "")?.[0];
		await recordLogo(tx, { tenantId, id, content, now: origin.now });
		await removeLogos(tx, { tenantId, except: previous === undefined ? [id] : [id, previous] });
		return { ...before, branding: { ...before.branding, logo_url: url } };
	});
}
