import { buttonLook, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { CopiedText } from "../../fields/copied-text.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { AttemptList, isLive } from "../payments/attempt-list.tsx";
import { IntentStatusBadge, isOpen } from "../payments/intent-status.tsx";
import { PayByCard } from "../payments/pay-by-card.tsx";
import { PayByPhone } from "../payments/pay-by-phone.tsx";
import { PaymentList } from "../payments/payment-list.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { RefundButton } from "../refunds/refund-button.tsx";
import {
	askPhone,
	cancelIntent,
	type Intent,
	intentQuery,
	intentsKey,
	openCheckout,
	type ShownIntent,
} from "./intent.queries.ts";
import { QrCode } from "./qr-code.tsx";
import { RefreshButton } from "./refresh-button.tsx";
import { useIntentTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payments/$id");

/**
 * `/{slug}/payments/{id}`: a payment that was asked for, how it can be paid, and what was tried and paid.
 */
export function IntentPage() {
	const { slug, id } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payments.view" orOwn>
			{(scope, granted) => <StoredIntent scope={scope} id={id} granted={granted} />}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; granted: ReadonlySet<string> };

function StoredIntent({ scope, id, granted }: Props & { id: string }) {
	const words = useIntentTexts();
	const found = useQuery(intentQuery(usePlatform(), scope, id));
	return (
		<Loaded query={found} isMain>
			{(intent) => (
				<>
					<BackLink to="/$slug/payments" params={{ slug: scope.slug }}>
						{words.title}
					</BackLink>
					<Page
						title={intent.description}
						actions={
							isOpen(intent) &&
							isGranted(granted, "treasury.payments.manage") && <CancelButton scope={scope} intent={intent} />
						}
					>
						<Facts intent={intent} />
						<Paying scope={scope} granted={granted} intent={intent} />
						<AttemptList attempts={intent.attempts} currency={intent.currency} />
						<Payments scope={scope} granted={granted} intent={intent} />
					</Page>
				</>
			)}
		</Loaded>
	);
}

function CancelButton({ scope, intent }: { scope: ServiceScope; intent: Intent }) {
	const platform = usePlatform();
	const words = useIntentTexts();
	return (
		<ConfirmButton
			texts={words.cancel}
			isDestructive
			name={intent.description}
			action={() => cancelIntent(platform, { scope, id: intent.id })}
			invalidates={intentsKey(scope)}
			messages={words.errors}
		/>
	);
}

function Facts({ intent }: { intent: Intent }) {
	const words = useIntentTexts();
	const paying = usePayingTexts();
	const format = useFormat();
	const { currency, order_id: order } = intent;
	return (
		<Details>
			<Detail label={paying.amount}>{format.money(intent.amount_minor, currency)}</Detail>
			<Detail label={words.received}>{format.money(intent.received_minor, currency)}</Detail>
			<Detail label={paying.status}>
				<IntentStatusBadge status={intent.status} />
			</Detail>
			<Detail label={words.created}>{format.time(intent.created_at)}</Detail>
			<Detail label={words.expires}>{format.time(intent.expires_at)}</Detail>
			{order !== null && <Detail label={words.order}>{order}</Detail>}
			<Detail label={words.operation}>{intent.operation_id}</Detail>
			<Detail label={words.source}>{intent.source_service}</Detail>
		</Details>
	);
}

function Paying({ scope, granted, intent }: Props & { intent: ShownIntent }) {
	const words = useIntentTexts();
	if (!isOpen(intent) || intent.isOver)
		return (
			<div className="mt-6">
				<Notice kind={intent.status === "succeeded" ? "done" : "plain"}>{endOf(intent, words)}</Notice>
			</div>
		);
	const mayAsk = ["treasury.payments.change", "treasury.payments.change_own"].some((permission) =>
		isGranted(granted, permission),
	);
	return (
		<>
			<Section title={words.share} lead={words.shareLead}>
				<CopiedText label={words.payLink} text={intent.pay_url} />
				{intent.channels.includes("push") && (
					<>
						<p className="mt-5 text-quiet">{words.accountLead}</p>
						<CopiedText label={words.accountCode} text={intent.account_code} />
						{isGranted(granted, "treasury.payments.change") && (
							<QrCode key={intent.id} scope={scope} intent={intent} />
						)}
					</>
				)}
			</Section>
			{mayAsk && <PayNow scope={scope} intent={intent} />}
		</>
	);
}

function endOf(intent: Intent, words: ReturnType<typeof useIntentTexts>): string {
	if (isOpen(intent)) return words.isOver;
	return intent.status === "succeeded" ? words.isPaid : words.isClosed;
}

function PayNow({ scope, intent: { id, channels, attempts } }: { scope: ServiceScope; intent: Intent }) {
	const platform = usePlatform();
	const words = useIntentTexts();
	const named = { scope, id };
	return (
		<Section title={words.payNow}>
			{channels.includes("push") && (
				<PayByPhone
					attempts={attempts}
					ask={(phone) => askPhone(platform, named, phone)}
					invalidates={intentsKey(scope)}
				/>
			)}
			{channels.includes("card") && (
				<PayByCard open={(email) => openCheckout(platform, named, email)} isForAnother />
			)}
			{attempts.some(isLive) && <RefreshButton {...named} />}
		</Section>
	);
}

function Payments({ scope, granted, intent: { payments, currency } }: Props & { intent: Intent }) {
	const words = useIntentTexts();
	const cell = ({ receipt_id: id }: Intent["payments"][number]) => (
		<Link to="/$slug/receipts/$id" params={{ slug: scope.slug, id }} className={buttonLook("quiet")}>
			{words.openReceipt}
		</Link>
	);
	const mayView = isGranted(granted, "treasury.receipts.view");
	const mayRefund = isGranted(granted, "treasury.refunds.add");
	const refund = ({ id, amount_minor: maxMinor }: Intent["payments"][number]) => (
		<RefundButton scope={scope} of={{ payment_id: id }} maxMinor={maxMinor} currency={currency} />
	);
	return (
		<PaymentList
			title={words.payments}
			empty={words.noPayments}
			payments={payments}
			currency={currency}
			link={mayView ? { head: words.receipt, cell } : undefined}
			action={mayRefund ? refund : undefined}
		/>
	);
}
