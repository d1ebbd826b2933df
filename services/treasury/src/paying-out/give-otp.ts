import { recordAudit } from "@lango/access";
import type { Failure } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import type { Refused } from "../gateways/calls/answer.ts";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { saidByTransfer } from "../gateways/card-gateway/said-by-transfer.ts";
import { finalizeTransfer, resendOtp } from "../gateways/card-gateway/transfers.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { payoutFailures } from "../payouts/failures.ts";
import { findPayout } from "../payouts/payout.store.ts";
import { findPayer } from "../prompts/payer.store.ts";
import type { Treasury } from "../treasury.ts";
import type { Decider } from "./decide-payout.ts";
import { record } from "./sending/submit-payout.ts";

type About = { tenantId: string; payoutId: string; by: Decider };

/**
 * Gives the gateway the one-time password of a transfer, which it then sends. Without an answer the payout
 * stays as it is, and the gateway is asked at once. Throws `payout_not_found`, `payout_closed`,
 * `otp_refused`, `otp_expired`, `halted`, `tenant_suspended`, `channel_unavailable` and
 * `gateway_unavailable`.
 */
export async function giveOtp(domain: Treasury, { otp, ...about }: About & { otp: string }): Promise<void> {
	const { db, gateways } = domain;
	const { tenantId, payoutId } = about;
	await requireNotHalted(db, tenantId, "payouts");
	if (!(await inTenant(db, tenantId, findPayer)).isServed) throw payoutFailures.tenant_suspended();
	const transferCode = await requireWaiting(domain, about);
	const gateway = await gateways.requireCardGateway();
	if (!gateway.profile.settings.capabilities.finalize_transfer) throw payoutFailures.payout_closed();
	await audit(domain, about, "payout.otp_given");
	const answer = await finalizeTransfer(gateway, { transferCode, otp });
	if (answer.is === "refused") throw refusalOf(answer);
	if (answer.is === "accepted")
		return record(domain, tenantId, new Map([[payoutId, saidByTransfer(answer.ids)]]));
	await inTenant(db, tenantId, (tx) => enqueueJob(tx, { name: "payouts.query" }, { id: payoutId, tenantId }));
}

/** Asks the gateway for another one-time password. Throws as `giveOtp`, and `gateway_refused`. */
export async function renewOtp(domain: Treasury, about: About): Promise<void> {
	const transferCode = await requireWaiting(domain, about);
	const gateway = await domain.gateways.requireCardGateway();
	if (!gateway.profile.settings.capabilities.resend_otp) throw payoutFailures.payout_closed();
	requireAccepted(await resendOtp(gateway, transferCode));
	await audit(domain, about, "payout.otp_renewed");
}

async function requireWaiting({ db }: Treasury, { tenantId, payoutId }: About): Promise<string> {
	const payout = await inTenant(db, tenantId, (tx) => findPayout(tx, payoutId));
	if (payout === undefined) throw payoutFailures.payout_not_found();
	if (payout.status !== "needs_otp" || payout.transferCode === null) throw payoutFailures.payout_closed();
	return payout.transferCode;
}

const audit = ({ db, now }: Treasury, { tenantId, payoutId, by }: About, action: string): Promise<void> =>
	inTenant(db, tenantId, (tx) =>
		recordAudit(tx, { tenantId, at: now(), ...by, action, subject: payoutId, detail: {} }),
	);

/** The gateway's code of a password that has expired. After any refusal the transfer still waits. */
const expiredCode = "otp_expired";

function refusalOf({ code, isRetryable }: Refused): Failure {
	if (isRetryable) return gatewayFailures.gateway_unavailable();
	const fields = { gateway_code: code };
	return code === expiredCode
		? payoutFailures.otp_expired({ fields })
		: payoutFailures.otp_refused({ fields });
}
