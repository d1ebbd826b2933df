import type { Platform } from "../../platform.ts";

export const runKinds = ["settlements", "transactions", "balances", "expectations"] as const;

/** A comparison of what gateways have with the books. */
export type Run = {
	id: string;
	kind: (typeof runKinds)[number];
	from: string;
	to: string;
	state: "waiting" | "done" | "failed";
	/** Why it failed. It is tried again a few times. */
	failure: string | null;
	found: number | null;
	created_at: string;
};

/** Also begins the keys of exceptions and settlements, which a run changes. */
export const runsKey = ["treasury"];

const baseOf = ({ settings }: Platform): string => {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform`;
};

/** The address of runs. Throws an Error if this installation has no treasury. */
export const runsAddress = (platform: Platform): string => `${baseOf(platform)}/reconciliation/runs`;

/** Starts a run; a job does it. */
export const startRun = (
	platform: Platform,
	body: { kind: string; from: string; to: string },
): Promise<unknown> => platform.client.call(runsAddress(platform), { outlet: "none", method: "POST", body });

export type Imported = { lines: number; added: number };

/** Imports a statement in CSV of the bank account (`bank`) or of a shortcode. */
export const importStatement = (
	platform: Platform,
	{ source, currency, file }: { source: string; currency: string; file: File },
): Promise<Imported> =>
	platform.client.call<Imported>(`${baseOf(platform)}/statements`, {
		...{ outlet: "none", method: "POST", query: { source, currency } },
		// What a browser calls a CSV file differs between systems.
		body: new Blob([file], { type: "text/csv" }),
	});
