/** E-mails of a tenant within 24 hours, without messages of the platform. */
export type MailCounts = {
	/** Accepted by a provider, or refused because of the address. */
	sent: number;
	/** To addresses that can never be reached. */
	bounced: number;
	/** Reported as unwanted by their recipients. */
	complained: number;
};

/** `warned`: administrators are warned. `paused`: e-mail rests, but for urgent e-mail. */
export type ReputationState = "ok" | "warned" | "paused";
/** What a state other than `ok` is due to; `owner`: the platform owner paused the tenant. */
export type ReputationCause = "bounces" | "complaints" | "owner";
export type Judgement = { state: ReputationState; cause?: Exclude<ReputationCause, "owner"> };

/** Rates of so few e-mails say nothing. */
const judgedAbove = 1_000;

/**
 * From which share of e-mails on a tenant is warned or paused. Bounces: the design. Complaints: the large
 * mailbox providers ask senders to stay below 0.1 %, and reject e-mail from 0.3 % on.
 */
const reputationLimits = {
	bounces: { warned: 0.05, paused: 0.1 },
	complaints: { warned: 0.001, paused: 0.003 },
} as const;

/** Judges a tenant by its e-mails of 24 hours. Bounces are named first if both rates are too high. */
export function judge({ sent, bounced, complained }: MailCounts): Judgement {
	if (sent <= judgedAbove) return { state: "ok" };
	const rates = { bounces: bounced / sent, complaints: complained / sent };
	for (const state of ["paused", "warned"] as const)
		for (const cause of ["bounces", "complaints"] as const)
			if (rates[cause] >= reputationLimits[cause][state]) return { state, cause };
	return { state: "ok" };
}
