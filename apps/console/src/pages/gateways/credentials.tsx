import { type Column, DataTable, RowName } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { Badge } from "../../layout/badge.tsx";
import { Section } from "../../layout/section.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { SecretField } from "../payments/secret-field.tsx";
import {
	type Credential,
	type Gateway,
	type GatewayName,
	gatewayKey,
	gatewaySecrets,
	retireCredential,
	rotateGateway,
} from "./gateway.queries.ts";
import { useGatewayTexts } from "./texts.ts";

type Props = { name: GatewayName; stored: Gateway };

/** The secrets that calls use, and those before that still verify webhooks; replacing and ending them. */
export function CredentialSection({ name, stored }: Props) {
	const words = useGatewayTexts().credentials;
	return (
		<Section title={words.title} lead={words.lead}>
			<div className="grid justify-items-start gap-4">
				<DataTable
					caption={words.title}
					columns={useColumns(name)}
					rows={stored.credentials}
					keyOf={({ id }) => id}
					empty={words.none}
				/>
				{stored.credentials.length > 0 && <RotateButton name={name} stored={stored} />}
			</div>
		</Section>
	);
}

function useColumns(name: GatewayName): Column<Credential>[] {
	const { credentials: words, secrets: labels } = useGatewayTexts();
	const format = useFormat();
	const shownOf = ({ secrets }: Credential) =>
		gatewaySecrets[name]
			.filter((secret) => secrets[secret] !== undefined)
			.map((secret) => `${labels[secret]} …${secrets[secret]?.last4}`)
			.join(", ");
	return [
		{
			head: words.set,
			cell: (one) => <RowName detail={shownOf(one)}>{format.time(one.set_at)}</RowName>,
		},
		{
			head: words.use,
			cell: ({ retires_at }) =>
				retires_at === null ? (
					<Badge kind="done">{words.active}</Badge>
				) : (
					<Badge kind="warning">{words.retiring}</Badge>
				),
		},
		{
			head: words.end,
			cell: ({ retires_at }) => (retires_at === null ? "–" : format.time(retires_at)),
		},
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (one) => one.retires_at !== null && <RetireButton name={name} credential={one} />,
		},
	];
}

function RetireButton({ name, credential: { id, set_at } }: { name: GatewayName; credential: Credential }) {
	const platform = usePlatform();
	const words = useGatewayTexts();
	const { labelOf, text } = words.retire;
	const time = useFormat().time(set_at);
	return (
		<ConfirmButton
			texts={{ ...words.retire, labelOf: () => labelOf(time), text: text(time) }}
			isDestructive
			name={words.names[name]}
			asksByName
			action={() => retireCredential(platform, name, id)}
			invalidates={gatewayKey(name)}
			messages={words.errors}
		/>
	);
}

/** The name is the id of a field, and the form of the page has a field with the name of the secret. */
const nameOfNew = (secret: string) => `new_${secret}`;

/** The secrets that were entered in the dialog. */
function newSecrets(entered: FormData, name: GatewayName): Record<string, string> {
	const texts = gatewaySecrets[name].map((secret) => [secret, textOf(entered, nameOfNew(secret))]);
	return Object.fromEntries(texts.filter(([, value]) => value !== ""));
}

function RotateButton({ name, stored }: Props) {
	const platform = usePlatform();
	const { rotate: words, secrets: labels, errors } = useGatewayTexts();
	const secretsOf = (entered: FormData) => newSecrets(entered, name);
	return (
		<FormButton
			label={words.label}
			lead={words.lead}
			confirm={words.confirm}
			busyText={words.busy}
			messages={errors}
			check={(entered) => {
				const isEmpty = Object.keys(secretsOf(entered)).length === 0;
				return errorsOf([[isEmpty, nameOfNew(gatewaySecrets[name][0]), words.missing]]);
			}}
			action={(entered) => rotateGateway(platform, name, secretsOf(entered))}
			invalidates={gatewayKey(name)}
			done={words.done}
		>
			{(field) =>
				gatewaySecrets[name].map((secret) => (
					<SecretField
						key={secret}
						{...field(nameOfNew(secret))}
						label={labels[secret]}
						shown={stored.secrets[secret] ?? null}
						isBusy={false}
					/>
				))
			}
		</FormButton>
	);
}
