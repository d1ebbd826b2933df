import type { JoinPolicy, OutletIsolation, TenantSettings, TenantSettingsChange } from "@lango/contracts";
import { textOf } from "../../forms/entered.ts";
import type { Lacking } from "../../forms/sent-form.tsx";

/** What was entered, whole. A colour that is left empty is none. */
export function readSettings(entered: FormData): Entered {
	return {
		name: textOf(entered, "name"),
		branding: { colour: textOf(entered, "colour").toLowerCase() || null },
		time_zone: textOf(entered, "time_zone"),
		currency: textOf(entered, "currency"),
		locale: textOf(entered, "locale"),
		join_policy: textOf(entered, "join_policy") as JoinPolicy,
		outlet_isolation: textOf(entered, "outlet_isolation") as OutletIsolation,
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
export function checkSettings({ name, branding }: Entered, lacking: Words): Lacking | undefined {
	if (name === "") return { field: "name", message: lacking.name };
	if (branding.colour !== null && !/^#[0-9a-f]{6}$/.test(branding.colour))
		return { field: "colour", message: lacking.colour };
	return undefined;
}
