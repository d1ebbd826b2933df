import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Section } from "../../layout/section.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { registerAddresses, shortcodeKey, shortcodeQuery } from "./shortcode.queries.ts";
import { usePaymentSettingTexts } from "./texts.ts";

/**
 * Whether the gateway says what payers pay at the paybill or till without a prompt, and a button that has
 * it do so. Nothing until there is a shortcode.
 */
export function CounterSection({ scope, mayChange }: { scope: ServiceScope; mayChange: boolean }) {
	const platform = usePlatform();
	const { counter: words, errors } = usePaymentSettingTexts();
	const format = useFormat();
	const stored = useQuery(shortcodeQuery(platform, scope)).data;
	if (stored === undefined || stored.shortcode === null) return null;
	const { shortcode, urls_registered_at: at } = stored;
	return (
		<Section title={words.title(shortcode)} lead={words.lead}>
			<p className="mb-4">{at === null ? words.isOff : words.isOn(format.time(at))}</p>
			{mayChange && (
				<ConfirmButton
					texts={words.register}
					name={shortcode}
					asksByName
					action={() => registerAddresses(platform, scope)}
					invalidates={shortcodeKey(scope.slug)}
					messages={errors}
				/>
			)}
		</Section>
	);
}
