import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { adjustmentFailures } from "./adjustments/failures.ts";
import { billRoutes } from "./billing/bill.routes.ts";
import {
	findUnrequiredBills,
	findUnusedOrders,
	findUnusedSubscriptions,
	followSubscriptions,
	promptRenewals,
	purgeWithdrawn,
	recoverRenewals,
	requirePayments,
	stopCardSubscriptions,
	stopStandingOrders,
} from "./billing/billing.jobs.ts";
import { billingConsumers } from "./billing/billing-consumers.ts";
import { billingMethodRoutes } from "./billing/billing-method.routes.ts";
import { billingFailures } from "./billing/methods/failures.ts";
import { cardAuthorizationRoutes } from "./card-authorizations/card-authorization.routes.ts";
import { cardPlanRoutes } from "./card-plans/card-plan.routes.ts";
import {
	endUnanswered,
	findUnansweredSubscriptions,
	publishExpiring,
} from "./card-subscriptions/card-subscription.jobs.ts";
import { cardSubscriptionRoutes } from "./card-subscriptions/card-subscription.routes.ts";
import { cardSubscriptionFailures } from "./card-subscriptions/failures.ts";
import { redirectRoutes } from "./checkouts/redirect.routes.ts";
import { paymentRoutes } from "./collected/payment.routes.ts";
import { askAboutReceipts, purgeUnverified, recoverReceipts } from "./collected/receipt.jobs.ts";
import { receiptRoutes } from "./collected/receipt.routes.ts";
import { reconcileDaily, recoverRuns, runReconciliation } from "./comparing/run.jobs.ts";
import { runRoutes } from "./comparing/run.routes.ts";
import { askBalances, compareFloats } from "./comparing/shortcode.jobs.ts";
import { settings } from "./config.ts";
import { disputeFailures } from "./disputes/failures.ts";
import { expireIntents, findOverdueIntents } from "./expiry/expiry.jobs.ts";
import { gatewayFailures } from "./gateways/calls/failures.ts";
import { cardWebhookRoutes } from "./gateways/card-gateway/events/webhook.routes.ts";
import { profileRoutes } from "./gateways/configuration/profile.routes.ts";
import { shortcodeRoutes } from "./gateways/configuration/shortcode.routes.ts";
import { mobileMoneyWebhookRoutes } from "./gateways/mobile-money/callbacks/webhook.routes.ts";
import { haltFailures } from "./halts/failures.ts";
import { haltRoutes } from "./halts/halt.routes.ts";
import { statementImportRoutes } from "./importing/statement-import.routes.ts";
import {
	applyDeliveries,
	purgeOldDeliveries,
	purgeTokens,
	recoverDeliveries,
} from "./inbox/applying/inbox.jobs.ts";
import { inboxRoutes } from "./inbox/applying/inbox.routes.ts";
import { inboxFailures } from "./inbox/failures.ts";
import { checkoutRoutes } from "./intents/checkout.routes.ts";
import { intentRoutes } from "./intents/intent.routes.ts";
import { pushRoutes } from "./intents/push.routes.ts";
import { qrRoutes } from "./intents/qr.routes.ts";
import { renewSealsOften } from "./keys/key.jobs.ts";
import { ledgerFailures } from "./ledger/failures.ts";
import { journalRoutes } from "./ledger/journal.routes.ts";
import { closeDaysOften, sealJournalsOften, verifyLedgerNightly } from "./ledger/ledger.jobs.ts";
import { ledgerRoutes } from "./ledger/ledger.routes.ts";
import { counterFailures } from "./over-the-counter/failures.ts";
import { overTheCounterRoutes } from "./over-the-counter/over-the-counter.routes.ts";
import { payRoutes } from "./pay/pay.routes.ts";
import { payerConsumers } from "./payers/payer-consumers.ts";
import { bulkRoutes } from "./paying-out/bulk.routes.ts";
import {
	checkPayoutHints,
	expirePayouts,
	findOutPayouts,
	findUnapproved,
	recoverPayouts,
	recoverSubmissions,
	submitPayouts,
} from "./paying-out/payout.jobs.ts";
import { payoutRoutes } from "./paying-out/payout.routes.ts";
import { payoutOperatorRoutes } from "./paying-out/payout-operator.routes.ts";
import { findDuePayouts, schedulePayouts } from "./paying-out/scheduling/schedule.jobs.ts";
import { paymentPageRoutes } from "./payment-pages/payment-page.routes.ts";
import { paymentFailures } from "./payments/failures.ts";
import { payoutFailures } from "./payouts/failures.ts";
import { permissions, roles } from "./permissions.ts";
import { purgeEndedGuards, retryPrompts } from "./prompts/prompt.jobs.ts";
import { queryFailures } from "./queries/failures.ts";
import { queryRoutes } from "./queries/query.routes.ts";
import { receiptFailures } from "./receipts/failures.ts";
import { recipientFailures } from "./recipients/failures.ts";
import { payoutConfigRoutes } from "./recipients/payout-config.routes.ts";
import { recipientRoutes } from "./recipients/recipient.routes.ts";
import { adjustmentRoutes } from "./reconciliation/adjustment.routes.ts";
import { exceptionRoutes } from "./reconciliation/exception.routes.ts";
import { reconciliationFailures } from "./reconciliation/failures.ts";
import { settlementRoutes } from "./reconciliation/settlement.routes.ts";
import { checkHints, findOutAttempts, recoverAttempts } from "./recovery/recovery.jobs.ts";
import { checkDisputes, findOverdueDisputes } from "./refunding/disputes/dispute.jobs.ts";
import { disputeRoutes, operatorDisputeRoutes } from "./refunding/disputes/dispute.routes.ts";
import { recoverExcesses, refundExcesses } from "./refunding/excess/excess.jobs.ts";
import { findOutRefunds, recoverRefunds, submitRefunds } from "./refunding/refund.jobs.ts";
import { refundRoutes } from "./refunding/refund.routes.ts";
import { resolveRefundRoutes } from "./refunding/resolve-refund.routes.ts";
import { refundFailures } from "./refunds/failures.ts";
import { fetchSettlementsOften, recoverSettlements, settleSettlements } from "./settling/settlement.jobs.ts";
import { standingOrderFailures } from "./standing-orders/failures.ts";
import { endStandingOrders, findEndedOrders } from "./standing-orders/standing-order.jobs.ts";
import { standingOrderRoutes } from "./standing-orders/standing-order.routes.ts";
import { statementFailures } from "./statements/failures.ts";
import { statementRoutes } from "./statements/statement.routes.ts";
import { summaryRoutes } from "./summary/summary.routes.ts";
import { unresolvedRoutes } from "./summary/unresolved.routes.ts";
import { prepare } from "./treasury.ts";

export { seedDemoTreasury } from "./demo.ts";

/** The treasury: it collects money through two gateways, and keeps the ledger of it. */
export const treasury = defineDomainService({
	name: "treasury",
	title: "Treasury",
	base: "/api/v1/:tenant/treasury",
	// Payments text §4.2 shows the webhooks in both forms.
	otherAddresses: [{ from: "/webhooks", to: "/api/v1/webhooks" }],
	// Identity text §4.3: here and under the base.
	meAt: "/api/v1/auth/me",
	product: "treasury",
	permissions,
	roles,
	firstRole: [
		[["superuser", "admin"], "finance_admin"],
		[["manager", "staff"], "treasury_operator"],
		[everyone, "treasury_viewer"],
	],
	settings,
	failures: [
		gatewayFailures,
		inboxFailures,
		ledgerFailures,
		statementFailures,
		haltFailures,
		recipientFailures,
		paymentFailures,
		counterFailures,
		queryFailures,
		receiptFailures,
		standingOrderFailures,
		reconciliationFailures,
		adjustmentFailures,
		refundFailures,
		disputeFailures,
		payoutFailures,
		billingFailures,
		cardSubscriptionFailures,
	],
	migrations: [{ name: "treasury", folder: join(import.meta.dirname, "../database") }],
	keptOfDeleted: {
		ledger_accounts: "the ledger is kept for ten years, by tax law; it has no personal data",
		journals: "the ledger is kept for ten years, by tax law; it has no personal data",
		postings: "the ledger is kept for ten years, by tax law; it has no personal data",
		receipts: "evidence of the ledger, kept for ten years, by tax law; phone numbers are masked",
		evidence: "evidence of the ledger, kept for ten years, by tax law; phone numbers are masked",
		payouts:
			"evidence of the ledger, kept for ten years, by tax law; numbers are masked, and names are not in it",
		payout_lines: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
		payout_approvals: "who decided about payouts, kept for ten years, by tax law; people are ids",
		payments: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
		refunds: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
		receipt_holds: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
		disputes: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
		card_subscriptions: "the gateway charges the card until it is stopped there; the card itself is deleted",
		callback_tokens:
			"hashes for days, by which the gateway answers for payouts, refunds and prompts; those of its shortcode go with it",
		locators:
			"by which gateways name receipts, payouts and card subscriptions that are kept; others go with their objects",
		card_plans: "the plans of these card subscriptions; they have no personal data",
	},
	prepare,
	routes: [
		intentRoutes,
		pushRoutes,
		qrRoutes,
		checkoutRoutes,
		statementRoutes,
		shortcodeRoutes,
		overTheCounterRoutes,
		payoutConfigRoutes,
		recipientRoutes,
		payoutRoutes,
		bulkRoutes,
		billRoutes,
		billingMethodRoutes,
		queryRoutes,
		paymentRoutes,
		receiptRoutes,
		standingOrderRoutes,
		paymentPageRoutes,
		cardPlanRoutes,
		cardAuthorizationRoutes,
		cardSubscriptionRoutes,
		refundRoutes,
		disputeRoutes,
	],
	routesOutsideBase: [
		inboxRoutes,
		cardWebhookRoutes,
		mobileMoneyWebhookRoutes,
		profileRoutes,
		ledgerRoutes,
		journalRoutes,
		payoutOperatorRoutes,
		haltRoutes,
		redirectRoutes,
		payRoutes,
		exceptionRoutes,
		settlementRoutes,
		statementImportRoutes,
		summaryRoutes,
		unresolvedRoutes,
		runRoutes,
		adjustmentRoutes,
		resolveRefundRoutes,
		operatorDisputeRoutes,
	],
	consumes: (parts) => [...billingConsumers(parts), ...payerConsumers],
	jobs: [
		applyDeliveries,
		recoverDeliveries,
		purgeOldDeliveries,
		purgeTokens,
		sealJournalsOften,
		closeDaysOften,
		verifyLedgerNightly,
		findOutAttempts,
		checkHints,
		recoverAttempts,
		expireIntents,
		findOverdueIntents,
		promptRenewals,
		purgeEndedGuards,
		retryPrompts,
		recoverRenewals,
		requirePayments,
		findUnrequiredBills,
		purgeWithdrawn,
		renewSealsOften,
		askAboutReceipts,
		recoverReceipts,
		purgeUnverified,
		submitRefunds,
		findOutRefunds,
		recoverRefunds,
		checkDisputes,
		findOverdueDisputes,
		refundExcesses,
		recoverExcesses,
		fetchSettlementsOften,
		settleSettlements,
		recoverSettlements,
		followSubscriptions,
		stopCardSubscriptions,
		findUnusedSubscriptions,
		stopStandingOrders,
		findUnusedOrders,
		publishExpiring,
		endUnanswered,
		findUnansweredSubscriptions,
		endStandingOrders,
		findEndedOrders,
		runReconciliation,
		recoverRuns,
		reconcileDaily,
		askBalances,
		compareFloats,
		submitPayouts,
		recoverSubmissions,
		findOutPayouts,
		checkPayoutHints,
		recoverPayouts,
		expirePayouts,
		findUnapproved,
		schedulePayouts,
		findDuePayouts,
	],
});
