import { ChoiceField, Notice, useKeptState } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { CardForm } from "../payments/card-form.tsx";
import { PhoneForm } from "../payments/phone-form.tsx";
import { askPhone, openCheckout, type Payable, type PayLink, payableQuery } from "./payable.queries.ts";
import { usePayTexts } from "./texts.ts";

type Paying = PayLink & { payable: Payable };

/** The ways in which a request can be paid now. The form of the other way stays, with what was entered. */
export function PayChoice(paying: Paying) {
	const { phone, card_channels: channels } = paying.payable;
	const words = usePayTexts();
	const [chosen, choose] = useKeptState("way", () => "phone");
	const refusal = phone?.prompt_refusal ?? null;
	const ways = [
		...(phone === null || refusal !== null
			? []
			: [{ value: "phone", label: words.byPhone, detail: words.byPhoneDetail }]),
		...(channels.length === 0 ? [] : [{ value: "card", label: words.byCard, detail: words.byCardDetail }]),
	];
	const [first] = ways;
	if (first === undefined && refusal === null) return <Notice kind="warning">{words.notNow}</Notice>;
	const way = ways.find(({ value }) => value === chosen) ?? first;
	return (
		<>
			{refusal !== null && <Notice kind="plain">{words.noPrompt[refusal]}</Notice>}
			{way !== undefined && ways.length > 1 && (
				<ChoiceField name="way" legend={words.how} choices={ways} value={way.value} onChoose={choose} />
			)}
			{ways.map(({ value }) => (
				<div key={value} hidden={value !== way?.value} className="mt-5">
					{value === "phone" ? <AskedPhone {...paying} /> : <AskedCard {...paying} />}
				</div>
			))}
			{phone?.kind === "paybill" && <AtPaybill {...phone} />}
		</>
	);
}

function AtPaybill({ shortcode, account_code, prompt_refusal }: NonNullable<Payable["phone"]>) {
	const words = usePayTexts();
	const hint = prompt_refusal === "amount_out_of_range" ? words.paybillInParts : words.paybill;
	return <p className="mt-8 text-quiet">{hint(shortcode, account_code)}</p>;
}

function AskedPhone({ payable: _payable, ...link }: Paying) {
	const words = usePayTexts();
	const queries = useQueryClient();
	return (
		<PhoneForm
			ask={(phone) => askPhone(link, phone)}
			onAsked={() => queries.invalidateQueries(payableQuery(link))}
			hint={words.phoneHint}
			messages={words.errors}
		/>
	);
}

function AskedCard({ payable, ...link }: Paying) {
	const words = usePayTexts();
	return (
		<CardForm
			open={(email) => openCheckout(link, payable.needs_email ? email : undefined)}
			email={
				payable.needs_email ? { label: words.email, hint: words.emailHint, autoComplete: "email" } : undefined
			}
			texts={{ submit: words.goOn, submitting: words.opening, emailInvalid: words.emailInvalid }}
			messages={words.errors}
			fieldMessages={{ email: words.emailInvalid }}
		/>
	);
}
