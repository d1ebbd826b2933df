import { ClientError } from "@lango/client";
import { useProfile } from "@lango/client/react";
import { buttonLook, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { useIsPlatform } from "../access/use-is-platform.ts";
import { AskGateway } from "../payments/ask-gateway.tsx";
import { PaymentList } from "../payments/payment-list.tsx";
import { usePayingTexts } from "../payments/texts.ts";
import { RefundButton } from "../refunds/refund-button.tsx";
import { AllocateButton } from "./allocate-button.tsx";
import { type Receipt, receiptQuery, unknownReceipt, verifyReceipt } from "./receipt.queries.ts";
import { ReceiptState } from "./receipt-state.tsx";
import { useReceiptTexts } from "./texts.ts";

const route = getRouteApi("/$slug/receipts/$id");

/** `/{slug}/receipts/{id}`: a receipt, what it pays, and allocating what is left of it. */
export function ReceiptPage() {
	const { slug, id } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.receipts.view" isAlsoForPlatform>
			{(scope, granted) => (
				<StoredReceipt scope={scope} id={id} may={(permission) => isGranted(granted, permission)} />
			)}
		</ServiceGate>
	);
}

type Props = { scope: ServiceScope; id: string; may: (permission: string) => boolean };

function StoredReceipt({ scope, id, may }: Props) {
	const words = useReceiptTexts();
	const { channels } = usePayingTexts();
	const found = useQuery(receiptQuery(usePlatform(), scope, id));
	if (found.data !== undefined && found.error instanceof ClientError && found.error.status === 404)
		return <Gone slug={scope.slug} wasUnverified={found.data.state === "unverified"} />;
	return (
		<Loaded query={found} isMain>
			{(receipt) => (
				<>
					<BackLink to="/$slug/receipts" params={{ slug: scope.slug }}>
						{words.title}
					</BackLink>
					<Page
						title={receipt.receipt ?? wordFor(channels, receipt.channel)}
						actions={<Actions scope={scope} receipt={receipt} may={may} />}
					>
						<Facts receipt={receipt} slug={scope.slug} />
						{receipt.state === "unverified" && (
							<Unverified scope={scope} id={id} mayVerify={may("treasury.receipts.manage")} />
						)}
						{receipt.kind === "collection" && <Payments receipt={receipt} slug={scope.slug} />}
					</Page>
				</>
			)}
		</Loaded>
	);
}

/** Uses or returns what of a receipt pays nothing. What was paid to the platform its owner returns. */
function Actions({ scope, receipt, may }: { receipt: Receipt } & Pick<Props, "scope" | "may">) {
	const { id, unallocated_minor: waitingMinor, returnable_minor, currency } = receipt;
	const isOwner = useProfile()?.isPlatformOwner === true;
	const returnableMinor = waitingMinor > 0 || isOwner ? returnable_minor : 0;
	if (returnableMinor === 0) return null;
	return (
		<span className="flex flex-wrap gap-3">
			{waitingMinor > 0 && may("treasury.receipts.manage") && (
				<AllocateButton scope={scope} receipt={receipt} />
			)}
			{may("treasury.refunds.add") && (
				<RefundButton scope={scope} of={{ receipt_id: id }} maxMinor={returnableMinor} currency={currency} />
			)}
		</span>
	);
}

/** Goes back to the list from a receipt that was shown and does not exist any more. */
function Gone({ slug, wasUnverified }: { slug: string; wasUnverified: boolean }) {
	const { isRemoved, isMoved, errors } = useReceiptTexts();
	// What the platform owner allocates moves to the organisation that it pays for.
	const wasMoved = useIsPlatform(slug) && !wasUnverified;
	const gone = wasMoved ? isMoved : errors.receipt_not_found;
	const text = wasUnverified ? isRemoved : gone;
	const navigate = useNavigate();
	useEffect(() => {
		const show = () => showToast(wasMoved ? "done" : "warning", text);
		navigate({ to: "/$slug/receipts", params: { slug }, replace: true }).then(show, reportError);
	}, [navigate, slug, text, wasMoved]);
	return null;
}

function Unverified({ scope, id, mayVerify }: { scope: ServiceScope; id: string; mayVerify: boolean }) {
	const platform = usePlatform();
	const words = useReceiptTexts();
	const { verify, isRemoved } = words;
	const failed = (code: string) => (code === unknownReceipt ? isRemoved : verify.failed(code));
	return (
		<div className="mt-6">
			<Notice kind="warning">{words.isUnverified}</Notice>
			{mayVerify && (
				<AskGateway
					scope={scope}
					ask={() => verifyReceipt(platform, scope, id)}
					texts={{ ...verify, failed }}
				/>
			)}
		</div>
	);
}

function Facts({ receipt, slug }: { receipt: Receipt; slug: string }) {
	const words = useReceiptTexts();
	const { channels, amount } = usePayingTexts();
	const format = useFormat();
	const { currency } = receipt;
	return (
		<Details>
			<Detail label={amount}>{format.money(receipt.amount_minor, currency)}</Detail>
			{receipt.kind === "collection" && (
				<>
					<Detail label={words.unallocated}>{format.money(receipt.unallocated_minor, currency)}</Detail>
					<Detail label={words.state}>
						<ReceiptState receipt={receipt} />
					</Detail>
				</>
			)}
			<Detail label={words.kind}>
				<span className="flex flex-wrap items-center gap-3">
					{words.kinds[receipt.kind]}
					<Moved receipt={receipt} slug={slug} />
				</span>
			</Detail>
			<Detail label={words.paidAt}>{format.time(receipt.occurred_at)}</Detail>
			<Detail label={words.channel}>{wordFor(channels, receipt.channel)}</Detail>
			<Detail label={words.payer}>{receipt.payer_masked ?? "–"}</Detail>
			<Detail label={words.account}>{receipt.account_ref ?? "–"}</Detail>
			<Detail label={words.number}>{receipt.shortcode ?? "–"}</Detail>
		</Details>
	);
}

/** The payout or refund whose money moved. */
function Moved({ receipt: { payout_id: id, refund_id }, slug }: { receipt: Receipt; slug: string }) {
	const words = useReceiptTexts();
	if (id !== null)
		return (
			<Link to="/$slug/payouts/$id" params={{ slug, id }} className={buttonLook("quiet")}>
				{words.openPayout}
			</Link>
		);
	if (refund_id === null) return null;
	return (
		<Link to="/$slug/refunds" params={{ slug }} className={buttonLook("quiet")}>
			{words.openRefund}
		</Link>
	);
}

function Payments({ receipt: { payments, currency }, slug }: { receipt: Receipt; slug: string }) {
	const words = useReceiptTexts();
	const cell = ({ intent_id: id }: Receipt["payments"][number]) =>
		id === null ? (
			"–"
		) : (
			<Link to="/$slug/payments/$id" params={{ slug, id }} className={buttonLook("quiet")}>
				{words.openPayment}
			</Link>
		);
	return (
		<PaymentList
			title={words.payments}
			empty={words.noPayments}
			payments={payments}
			currency={currency}
			link={{ head: words.paysFor, cell }}
		/>
	);
}
