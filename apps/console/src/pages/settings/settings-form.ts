import type { JoinPolicy, OutletIsolation, TenantSettings, TenantSettingsChange } from "@lango/contracts";
import type { InputError } from "../../forms/submit-form.tsx";

/** The fields of the form as text, by the name of the field. */
export type Draft = Readonly<
	Record<"name" | "colour" | "time_zone" | "currency" | "locale" | "join_policy" | "outlet_isolation", string>
>;

/** What the fields show for these settings. */
export function draftOf({ branding, ...settings }: TenantSettings): Draft {
	const { name, time_zone, currency, locale, join_policy, outlet_isolation } = settings;
	const colour = branding.colour ?? "";
	return { name, colour, time_zone, currency, locale, join_policy, outlet_isolation };
}

/**
 * The fields after a save: what was typed while it was under way stays; every other field shows what is saved, which includes what
 * another administrator changed.
 */
export function rebaseDraft(draft: Draft, sent: Draft, saved: TenantSettings): Draft {
	const shown = draftOf(saved);
	const typed = Object.entries(draft).filter(([field, text]) => text !== sent[field as keyof Draft]);
	return { ...shown, ...Object.fromEntries(typed) };
}

/** The settings that the fields name. An empty colour means none. */
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

/** What differs from what there was, so that what somebody else changed meanwhile stays; undefined when nothing does. */
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

/** What is wrong with settings before they are sent. What no program could work with the sign-on service says. */
export function checkSettings({ name, branding }: Entered, lacking: Words): InputError | undefined {
	if (name === "") return { field: "name", message: lacking.name };
	if (branding.colour !== null && !/^#[0-9a-f]{6}$/.test(branding.colour))
		return { field: "colour", message: lacking.colour };
	return undefined;
}
