import { TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { errorsOf } from "../../forms/rules.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Section } from "../../layout/section.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { GatewayAnswer } from "../payments/ask-gateway.tsx";
import { askAboutReceipt, type StatusAnswer } from "../payments/gateway-question.queries.ts";
import { usePayingTexts } from "../payments/texts.ts";
import { unknownReceipt } from "./receipt.queries.ts";
import { isReceiptNumber, receiptNumberOf } from "./receipt-number.ts";
import { reversalCurrency } from "./reversal-form.ts";
import { useReceiptTexts } from "./texts.ts";

/** Asks the gateway what became of a payment that may be in no list, by its receipt number. */
export function AskAboutReceipt({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const { lookup: words, verify, reverse } = useReceiptTexts();
	const numberOf = (entered: FormData) => receiptNumberOf(entered, "asked_receipt");
	const ask = useMutation({ mutationFn: (number: string) => askAboutReceipt(platform, scope, number) });
	const failed = (code: string) => (code === unknownReceipt ? words.isUnknown : verify.failed(code));
	return (
		<Section title={words.title} lead={words.lead}>
			<div className="max-w-2xl">
				<SubmitForm
					keptAs="receipt number"
					submit={words.ask}
					submitting={verify.asking}
					isBusy={ask.isPending}
					failure={ask.error}
					messages={verify.errors}
					check={(entered) =>
						errorsOf([[!isReceiptNumber(numberOf(entered)), "asked_receipt", reverse.numberInvalid]])
					}
					onSubmit={(entered) => ask.mutate(numberOf(entered))}
				>
					{(field) => (
						<TextField
							{...field("asked_receipt")}
							label={reverse.number}
							hint={reverse.numberHint}
							autoComplete="off"
							maxLength={30}
						/>
					)}
				</SubmitForm>
				<div className="mt-6">
					{ask.data !== undefined && (
						<GatewayAnswer
							key={ask.data.id}
							asked={ask.data}
							scope={scope}
							texts={{ ...verify, answered: words.answered, failed }}
						>
							{(answer) => <Answered answer={answer} />}
						</GatewayAnswer>
					)}
				</div>
			</div>
		</Section>
	);
}

/** What the gateway says of a payment. What it does not say is left out. */
function Answered({ answer }: { answer: StatusAnswer }) {
	const { lookup, number, paidAt } = useReceiptTexts();
	const { amount } = usePayingTexts();
	const format = useFormat();
	const { status, amount_minor: minor, shortcode, finished_at: at } = answer;
	return (
		<div className="mt-4">
			<Details>
				<Detail label={lookup.status}>{status ?? "–"}</Detail>
				{minor !== null && <Detail label={amount}>{format.money(minor, reversalCurrency)}</Detail>}
				{shortcode !== null && <Detail label={number}>{shortcode}</Detail>}
				{at !== null && <Detail label={paidAt}>{format.time(at)}</Detail>}
			</Details>
		</div>
	);
}
