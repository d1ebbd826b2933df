import { TextField } from "@lango/interface";
import { useMutation, useQuery } from "@tanstack/react-query";
import { SubmitForm } from "../../forms/submit-form.tsx";
import { Section } from "../../layout/section.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { checkQr, qrCurrency, readQr } from "./counter-qr-form.ts";
import { type CounterQr, drawCounterQr, type Shortcode, shortcodeQuery } from "./shortcode.queries.ts";
import { usePaymentSettingTexts } from "./texts.ts";

/** Makes QR codes that pay at the paybill or till, for a counter or a poster. Nothing until there is one. */
export function CounterQrSection({ scope }: { scope: ServiceScope }) {
	const { qr: words } = usePaymentSettingTexts();
	const stored = useQuery(shortcodeQuery(usePlatform(), scope)).data;
	if (stored === undefined || stored.shortcode === null) return null;
	return (
		<Section title={words.title(stored.shortcode)} lead={words.lead}>
			<QrForm scope={scope} kind={stored.kind} />
		</Section>
	);
}

function QrForm({ scope, kind }: { scope: ServiceScope; kind: Shortcode["kind"] }) {
	const platform = usePlatform();
	const { qr: words } = usePaymentSettingTexts();
	const draw = useMutation({ mutationFn: (request: CounterQr) => drawCounterQr(platform, scope, request) });
	return (
		<>
			<SubmitForm
				keptAs="counter qr"
				submit={words.draw}
				submitting={words.drawing}
				isBusy={draw.isPending}
				failure={draw.error}
				messages={words.errors}
				check={(entered) => checkQr(entered, words)}
				onSubmit={(entered) => draw.mutate(readQr(entered, kind))}
			>
				{(field) => (
					<>
						<TextField
							{...field("reference")}
							label={words.reference}
							hint={words.referenceHint}
							autoComplete="off"
							maxLength={12}
						/>
						<TextField
							{...field("amount_minor")}
							label={words.amountIn(qrCurrency)}
							hint={words.amountHint}
							inputMode="numeric"
							autoComplete="off"
							maxLength={20}
							isOptional
						/>
					</>
				)}
			</SubmitForm>
			{draw.data !== undefined && <Drawn png={draw.data.png_base64} of={draw.variables} />}
		</>
	);
}

/** A code that was made, with what it says, and a link that stores it. */
function Drawn({ png, of: { reference, amount_minor: minor } }: { png: string; of: CounterQr }) {
	const { qr: words } = usePaymentSettingTexts();
	const format = useFormat();
	const image = `data:image/png;base64,${png}`;
	return (
		<div className="mt-6 grid justify-items-start gap-3">
			<img className="w-full max-w-72 rounded-lg bg-white p-3" src={image} alt={words.alt(reference)} />
			<p role="status">
				{minor === undefined ? words.ofAny(reference) : words.of(reference, format.money(minor, qrCurrency))}
			</p>
			<a
				className="font-semibold text-link underline underline-offset-4"
				href={image}
				download={`qr-${reference}.png`}
			>
				{words.download}
			</a>
		</div>
	);
}
