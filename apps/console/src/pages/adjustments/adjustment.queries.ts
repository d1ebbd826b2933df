import { ClientError } from "@lango/client";
import type { Platform } from "../../platform.ts";
import { findTenant } from "../../tenant/find-tenant.ts";
import type { JournalLine } from "../journals/journal.queries.ts";

export const adjustmentStates = ["waiting", "posted", "rejected"] as const;
export const adjustmentPurposes = ["top_up", "withdrawal", "variance", "write_off", "correction"] as const;

/** A journal that one operator asked for, and another one approves. */
export type Adjustment = {
	id: string;
	/** `suspense`: a charge that was not counted, which an exception is about. */
	purpose: (typeof adjustmentPurposes)[number] | "suspense";
	tenant_id: string | null;
	currency: string;
	lines: JournalLine[];
	because: string;
	state: (typeof adjustmentStates)[number];
	/** The exception that it explains. */
	exception_id: string | null;
	created_by: string;
	created_at: string;
	approved_by: string | null;
	approved_at: string | null;
};

/** An adjustment to ask for. `slug`: of the organisation whose accounts it changes, or "". */
export type AdjustmentRequest = {
	slug: string;
	purpose: (typeof adjustmentPurposes)[number];
	currency: string;
	because: string;
} & ({ amount_minor: number } | { lines: JournalLine[] });

/** What changes when an adjustment is decided: it may close an exception. */
export const booksKey = ["treasury"];
export const adjustmentsKey = [...booksKey, "adjustments"];

/** The address of adjustments. Throws an Error if this installation has no treasury. */
export function adjustmentsAddress({ settings }: Platform): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/adjustments`;
}

/** Asks for an adjustment. Throws ClientError `tenant_not_found` if no organisation has the slug. */
export async function requestAdjustment(
	platform: Platform,
	{ slug, ...body }: AdjustmentRequest,
): Promise<unknown> {
	const tenant = slug === "" ? undefined : await findTenant(platform, slug);
	if (tenant === null) throw new ClientError("tenant_not_found", { status: 404, body: { field: "tenant" } });
	return platform.client.call(adjustmentsAddress(platform), {
		...{ outlet: "none", method: "POST", body: { ...body, ...(tenant && { tenant_id: tenant.id }) } },
	});
}

/** Posts an adjustment that another operator asked for, or rejects it. */
export const decideAdjustment = (
	platform: Platform,
	id: string,
	decision: "approve" | "reject",
): Promise<unknown> =>
	platform.client.call(`${adjustmentsAddress(platform)}/${encodeURIComponent(id)}/${decision}`, {
		...{ outlet: "none", method: "POST" },
	});
