import { ClientError } from "@lango/client";
import { Button, formatMoney, Notice, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { PlainPage } from "../../layout/plain-page.tsx";
import { QrOfAddress } from "../payments/qr-of-address.tsx";
import { PayChoice } from "./pay-choice.tsx";
import {
	failedAttempt,
	isPayable,
	type PayAttempt,
	type Payable,
	type PayLink,
	payableQuery,
	promptedPhone,
} from "./payable.queries.ts";
import { usePayTexts } from "./texts.ts";

/** The page where anybody with its link pays, without an account (§4.2). */
export function PayPage(link: PayLink) {
	const { data: payable, error, refetch, isFetching } = useQuery(payableQuery(link));
	const words = usePayTexts();
	const again = (label: string) => (
		<Button busyText={isFetching ? words.loading : undefined} onClick={() => refetch()}>
			{label}
		</Button>
	);
	if (payable !== undefined && isPayable(payable)) return <Open {...link} payable={payable} />;
	if (payable !== undefined) return <Ended payable={payable} again={again(words.checkAgain)} />;
	if (error instanceof ClientError && error.status === 404) return <PlainPage {...words.unknown} />;
	if (error === null) return <PlainPage title={words.loading} />;
	return <PlainPage {...words.unavailable}>{again(words.tryAgain)}</PlainPage>;
}

function Open({ payable, ...link }: PayLink & { payable: Payable }) {
	const words = usePayTexts();
	const phone = promptedPhone(payable);
	const due = useMoney(payable, payable.due_minor);
	const whole = useMoney(payable, payable.amount_minor);
	const failed = failedAttempt(payable);
	return (
		<PlainPage title={words.pay(due)} text={words.to(payable.payee_name, payable.description)}>
			<div className="w-full">
				{payable.due_minor < payable.amount_minor && <p className="mb-4 text-quiet">{words.partly(whole)}</p>}
				{phone !== undefined && <Waiting phone={phone} />}
				{phone === undefined && payable.is_over && <Notice kind="plain">{words.stillPaying}</Notice>}
				{phone === undefined && failed && <Failed attempt={failed} />}
				{phone === undefined && !payable.is_over && <PayChoice {...link} payable={payable} />}
				{phone === undefined && !payable.is_over && <OnPhone />}
			</div>
		</PlainPage>
	);
}

function Failed({ attempt: { status, failure_code: code } }: { attempt: PayAttempt }) {
	const words = usePayTexts();
	const reasonOf = useFailureReason("payment");
	return (
		<Notice kind="warning">
			{status === "expired" ? words.expired : words.failed(reasonOf(code ?? "unknown"))}
		</Notice>
	);
}

/** The page itself on a phone, which has the payer's wallet. A phone does not scan what it shows. */
function OnPhone() {
	const { onPhone: words } = usePayTexts();
	return (
		<details className="mt-8 hidden md:block">
			<summary className="cursor-pointer font-semibold text-link">{words.open}</summary>
			<p className="my-4">{words.lead}</p>
			<QrOfAddress address={location.href} words={words} />
		</details>
	);
}

function Waiting({ phone }: { phone: string }) {
	const words = usePayTexts();
	return (
		<Notice kind="plain">
			<p className="text-lg font-semibold">{words.prompted(phone)}</p>
			<p>{words.waiting}</p>
			<progress aria-label={words.progress} className="mt-3 block h-2 w-full accent-link" />
		</Notice>
	);
}

function Ended({ payable, again }: { payable: Payable; again: ReactNode }) {
	const words = usePayTexts();
	const amount = useMoney(payable, payable.amount_minor);
	const { payee_name: payee, status, return_url: address, description } = payable;
	const end = endOf(payable);
	const { title, text } = words.over[end];
	return (
		<PlainPage title={title} text={text(payee)} advice={`${amount} · ${description}`}>
			{status !== "succeeded" && (
				<div className="w-full">
					<p className="mb-4">{words.paidAnyway(payee)}</p>
					{again}
				</div>
			)}
			{address !== null && (
				<a className="font-semibold text-link underline underline-offset-4" href={address}>
					{words.back(payee)}
				</a>
			)}
		</PlainPage>
	);
}

/** How a request ended. One that was paid in part is open, but its time is over. */
function endOf({ status }: Payable): "succeeded" | "cancelled" | "partly" | "expired" {
	if (status === "succeeded" || status === "cancelled") return status;
	return status === "partially_paid" ? "partly" : "expired";
}

const useMoney = ({ currency }: Payable, minor: number): string =>
	formatMoney(minor, { currency, language: useLanguage() });
