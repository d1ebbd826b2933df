import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { billRoutes } from "./billing/bill.routes.ts";
import { promptRenewals, purgeWithdrawn, recoverRenewals } from "./billing/billing.jobs.ts";
import { billingConsumers } from "./billing/billing-consumers.ts";
import { billingMethodRoutes } from "./billing/billing-method.routes.ts";
import { redirectRoutes } from "./checkouts/redirect.routes.ts";
import { paymentRoutes } from "./collected/payment.routes.ts";
import { askAboutReceipts, purgeUnverified } from "./collected/receipt.jobs.ts";
import { receiptRoutes } from "./collected/receipt.routes.ts";
import { settings } from "./config.ts";
import { expireIntents, findOverdueIntents } from "./expiry/expiry.jobs.ts";
import { gatewayFailures } from "./gateways/calls/failures.ts";
import { cardWebhookRoutes } from "./gateways/card-gateway/events/webhook.routes.ts";
import { profileRoutes } from "./gateways/configuration/profile.routes.ts";
import { shortcodeRoutes } from "./gateways/configuration/shortcode.routes.ts";
import { mobileMoneyWebhookRoutes } from "./gateways/mobile-money/callbacks/webhook.routes.ts";
import { haltFailures } from "./halts/failures.ts";
import { haltRoutes } from "./halts/halt.routes.ts";
import { applyDeliveries, purgeOldDeliveries, recoverDeliveries } from "./inbox/applying/inbox.jobs.ts";
import { inboxRoutes } from "./inbox/applying/inbox.routes.ts";
import { inboxFailures } from "./inbox/failures.ts";
import { checkoutRoutes } from "./intents/checkout.routes.ts";
import { intentRoutes } from "./intents/intent.routes.ts";
import { pushRoutes } from "./intents/push.routes.ts";
import { qrRoutes } from "./intents/qr.routes.ts";
import { renewSealsOften } from "./keys/key.jobs.ts";
import { ledgerFailures } from "./ledger/failures.ts";
import { closeDaysOften, sealJournalsOften, verifyLedgerNightly } from "./ledger/ledger.jobs.ts";
import { ledgerRoutes } from "./ledger/ledger.routes.ts";
import { counterFailures } from "./over-the-counter/failures.ts";
import { overTheCounterRoutes } from "./over-the-counter/over-the-counter.routes.ts";
import { payRoutes } from "./pay/pay.routes.ts";
import { paymentFailures } from "./payments/failures.ts";
import { permissions, reserved, roles } from "./permissions.ts";
import { purgeEndedGuards, retryPrompts } from "./prompts/prompt.jobs.ts";
import { queryFailures } from "./queries/failures.ts";
import { queryRoutes } from "./queries/query.routes.ts";
import { receiptFailures } from "./receipts/failures.ts";
import { recipientFailures } from "./recipients/failures.ts";
import { payoutConfigRoutes } from "./recipients/payout-config.routes.ts";
import { recipientRoutes } from "./recipients/recipient.routes.ts";
import { exceptionRoutes } from "./reconciliation/exception.routes.ts";
import { checkHints, findOutAttempts, recoverAttempts } from "./recovery/recovery.jobs.ts";
import { statementFailures } from "./statements/failures.ts";
import { statementRoutes } from "./statements/statement.routes.ts";
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
	reserved,
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
	],
	migrations: [{ name: "treasury", folder: join(import.meta.dirname, "../database") }],
	keptOfDeleted: {
		ledger_accounts: "the ledger is kept for ten years, by tax law; it has no personal data",
		journals: "the ledger is kept for ten years, by tax law; it has no personal data",
		postings: "the ledger is kept for ten years, by tax law; it has no personal data",
		receipts: "evidence of the ledger, kept for ten years, by tax law; phone numbers are masked",
		evidence: "evidence of the ledger, kept for ten years, by tax law; phone numbers are masked",
		payments: "evidence of the ledger, kept for ten years, by tax law; it has no personal data",
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
		billRoutes,
		billingMethodRoutes,
		queryRoutes,
		paymentRoutes,
		receiptRoutes,
	],
	routesOutsideBase: [
		inboxRoutes,
		cardWebhookRoutes,
		mobileMoneyWebhookRoutes,
		profileRoutes,
		ledgerRoutes,
		haltRoutes,
		redirectRoutes,
		payRoutes,
		exceptionRoutes,
	],
	consumes: billingConsumers,
	jobs: [
		applyDeliveries,
		recoverDeliveries,
		purgeOldDeliveries,
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
		purgeWithdrawn,
		renewSealsOften,
		askAboutReceipts,
		purgeUnverified,
	],
});
