import { Button } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { ErrorNotice } from "../../notices/error-notice.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../access/access.queries.ts";
import { usePayingTexts } from "../payments/texts.ts";
import { drawQrCode } from "./intent.queries.ts";
import { useIntentTexts } from "./texts.ts";

/** A button that shows the QR code by which a phone pays an intent. */
export function QrCode({ scope, id }: { scope: ServiceScope; id: string }) {
	const platform = usePlatform();
	const { qr: words } = useIntentTexts();
	const { errors } = usePayingTexts();
	const draw = useMutation({ mutationFn: () => drawQrCode(platform, { scope, id }) });
	if (draw.data !== undefined)
		return (
			<img
				className="mt-5 w-full max-w-72 rounded-lg bg-white p-3"
				src={`data:image/png;base64,${draw.data.png_base64}`}
				alt={words.alt}
			/>
		);
	return (
		<div className="mt-5 grid justify-items-start gap-3">
			<Button busyText={draw.isPending ? words.busy : undefined} onClick={() => draw.mutate()}>
				{words.show}
			</Button>
			<ErrorNotice error={draw.error} messages={errors} />
		</div>
	);
}
