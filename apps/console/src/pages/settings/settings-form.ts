import type { JoinPolicy, OutletIsolation, TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { errorsOf, type InputError } from "../../forms/rules.ts";

/** The values of the form's fields as text, by field name. */
export type Draft = Readonly<
	Record<"name" | "colour" | "time_zone" | "currency" | "locale" | "join_policy" | "outlet_isolation", string>
>;

/** The values of the fields for these settings. */
export function draftOf({ branding, ...settings }: TenantSettings): Draft {
	const { name, time_zone, currency, locale, join_policy, outlet_isolation } = settings;
	const colour = branding.colour ?? "";
	return { name, colour, time_zone, currency, locale, join_policy, outlet_isolation };
}

/**
 * Returns the fields after a save. Input typed during the save stays; every other field shows the saved
 * value, including changes of another administrator.
 */
export function rebaseDraft(draft: Draft, sent: Draft, saved: TenantSettings): Draft {
	const shown = draftOf(saved);
	const typed = Object.entries(draft).filter(([field, text]) => text !== sent[field as keyof Draft]);
	return { ...shown, ...Object.fromEntries(typed) };
}

/** Reads the settings from the fields. An empty colour means none. */
export function readSettings(draft: Draft): Entered {
	const { time_zone, currency, locale } = draft;
	return {
		name: draft.name.trim(),
		branding: { colour: draft.colour.trim().toLowerCase() || null },
		...{ time_zone, currency, locale },
		join_policy: draft.join_policy as JoinPolicy,
		outlet_isolation: draft.outlet_isolation as OutletIsolation,
	};
}

type Entered = Omit<TenantSettings, "id" | "slug" | "status" | "branding"> & {
	branding: Pick<TenantSettings["branding"], "colour">;
};

const plain = ["name", "time_zone", "currency", "locale", "join_policy", "outlet_isolation"] as const;

/**
 * Returns only the changed settings, so that changes of another administrator are kept; undefined without
 * changes.
 */
export function changeOf(before: TenantSettings, after: Entered): TenantSettingsChange | undefined {
	const branding = differing(before.branding, after.branding, ["colour"]);
	const change: TenantSettingsChange = { ...differing(before, after, plain), ...(branding && { branding }) };
	return Object.keys(change).length === 0 ? undefined : change;
}

function differing<T, K extends keyof T>(
	before: T,
	after: Pick<T, K>,
	names: readonly K[],
): Partial<Pick<T, K>> | undefined {
	const changed = names.filter((name) => before[name] !== after[name]);
	if (changed.length === 0) return undefined;
	return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Pick<T, K>>;
}

type Words = { name: string; colour: string };

/** Validates settings before the request. The sign-on service validates time zone, currency and locale. */
export function checkSettings({ name, branding }: Entered, inputErrors: Words): readonly InputError[] {
	const isColour = branding.colour === null || /^#[0-9a-f]{6}$/.test(branding.colour);
	return errorsOf([
		[name === "", "name", inputErrors.name],
		[!isColour, "colour", inputErrors.colour],
	]);
}
