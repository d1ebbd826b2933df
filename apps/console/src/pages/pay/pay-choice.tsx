import { ChoiceField, Notice, TextField } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { textOf } from "../../forms/form-data.ts";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { PhoneForm } from "../payments/phone-form.tsx";
import { askPhone, openCheckout, type Payable, type PayLink, payableQuery } from "./payable.queries.ts";
import { usePayTexts } from "./texts.ts";

type Paying = PayLink & { payable: Payable };

/** The ways in which a request can be paid now. */
export function PayChoice(paying: Paying) {
	const { phone, card_channels: channels } = paying.payable;
	const words = usePayTexts();
	const [chosen, choose] = useState("phone");
	const ways = [
		...(phone === null ? [] : [{ value: "phone", label: words.byPhone, detail: words.byPhoneDetail }]),
		...(channels.length === 0 ? [] : [{ value: "card", label: words.byCard, detail: words.byCardDetail }]),
	];
	const [first] = ways;
	if (first === undefined) return <Notice kind="warning">{words.notNow}</Notice>;
	const way = ways.find(({ value }) => value === chosen) ?? first;
	return (
		<>
			{ways.length > 1 && (
				<ChoiceField name="way" legend={words.how} choices={ways} value={way.value} onChoose={choose} />
			)}
			<div className="mt-5">
				{way.value === "phone" ? <AskedPhone {...paying} /> : <CardForm {...paying} />}
			</div>
			{phone?.kind === "paybill" && (
				<p className="mt-8 text-quiet">{words.paybill(phone.shortcode, phone.account_code)}</p>
			)}
		</>
	);
}

function AskedPhone({ payable: _payable, ...link }: Paying) {
	const words = usePayTexts();
	const queries = useQueryClient();
	return (
		<PhoneForm
			ask={(phone) => askPhone(link, phone)}
			onAsked={() => queries.invalidateQueries(payableQuery(link))}
			messages={words.errors}
		/>
	);
}

function CardForm({ payable, ...link }: Paying) {
	const words = usePayTexts();
	const open = useMutation({
		mutationFn: (entered: FormData) =>
			openCheckout(link, payable.needs_email ? textOf(entered, "email") : undefined),
		onSuccess: (address) => location.assign(address),
	});
	return (
		<SubmitForm
			submit={words.goOn}
			submitting={words.opening}
			isBusy={open.isPending || open.isSuccess}
			failure={open.error}
			messages={words.errors}
			fieldMessages={{ email: words.emailInvalid }}
			check={(entered) =>
				payable.needs_email && !textOf(entered, "email").includes("@")
					? { message: words.emailMissing, field: "email" }
					: undefined
			}
			onSubmit={(entered) => open.mutate(entered)}
		>
			{(field) =>
				payable.needs_email && (
					<TextField
						{...field("email")}
						type="email"
						label={words.email}
						hint={words.emailHint}
						autoComplete="email"
						maxLength={254}
					/>
				)
			}
		</SubmitForm>
	);
}
