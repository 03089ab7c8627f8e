/// The style sheet of a page: readable on a telephone, on a wide screen and on paper, light and dark.
enum PageStyle {
    static let sheet: Markup = Markup(stringLiteral: text)

    /// Below this width a table's rows become cards, each value with its column's name.
    private static let cards = "@media screen and (max-width:46rem)"

    private static let text = """
        *{box-sizing:border-box}
        html{color-scheme:light dark}
        body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;\
        overflow-wrap:anywhere}
        .skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--raised);padding:.5rem}
        header,main,footer{max-width:78rem;margin:0 auto;padding:0 1rem}
        .broad header,.broad main,.broad footer{max-width:96rem}
        h1{font-size:1.6rem;line-height:1.25;margin:1.2rem 0 .3rem}
        h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--grid);padding-bottom:.2rem}
        h3{font-size:1rem;margin:.2rem 0 .4rem}
        p{margin:.3rem 0}
        a{color:var(--c0)}
        :focus-visible{outline:3px solid var(--c0);outline-offset:2px}
        .soft,small{color:var(--soft)}small{font-size:.82rem}
        .mark{display:inline-block;border:1px solid;border-radius:.3rem;padding:0 .4rem;font-weight:600}
        .bad{color:var(--c1)}.good{color:var(--c2)}
        .pair{display:grid;gap:1rem 2rem;grid-template-columns:minmax(0,1fr)}
        @media (min-width:64rem){.pair{grid-template-columns:minmax(0,1fr) 22rem}}
        .pair>*{min-width:0}.pair+.pair{margin-top:1.5rem}
        aside{background:var(--raised);border-radius:.4rem;padding:.7rem .9rem;font-size:.9rem}
        aside dl{margin:0}aside dt{font-weight:600;margin-top:.5rem}aside dd{margin:0}
        aside ul{margin:.2rem 0;padding-left:1.1rem}
        figure{margin:0}
        .wide{display:block;width:100%}.narrow{display:none;width:100%}
        @media screen and (max-width:46rem){.wide{display:none}.narrow{display:block}}
        .absent{border:1px dashed var(--soft);border-radius:.4rem;padding:1rem}
        table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.9rem}
        caption{text-align:left;color:var(--soft);font-size:.85rem;padding:.2rem 0}
        th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--grid)}
        thead th{color:var(--soft);font-weight:600;vertical-align:bottom;overflow-wrap:normal}
        tbody th{font-weight:600}
        td.n,th.n{text-align:right}
        tbody th,td{white-space:nowrap}.long{white-space:normal!important;min-width:8.5rem}
        .scroll{overflow-x:auto}
        summary{cursor:pointer;font-weight:600;padding:.3rem 0}
        footer{padding:1.5rem 1rem;color:var(--soft);font-size:.85rem}
        \(cards){thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}\
        table,tbody,tr,th,td,caption{display:block}\
        tr{border-bottom:1px solid var(--grid);padding:.4rem 0}\
        th,td{border:0;padding:.1rem 0}\
        td,tbody th,td.n,th.n{text-align:left;white-space:normal;min-width:0}\
        td[data-name]::before{content:attr(data-name) ": ";color:var(--soft)}}
        @media print{body{font-size:9pt}.skip{display:none}h2,h3,summary{break-after:avoid}figure,tr{break-inside:avoid}\
        .pair{grid-template-columns:minmax(0,1fr) 13rem;gap:1rem}aside{padding:.4rem;border:1px solid var(--grid)}\
        .scroll{overflow:visible}table{font-size:8pt}th,td{white-space:normal;overflow-wrap:break-word;padding-right:.3rem}td.n{white-space:nowrap}.long{min-width:0}\

        details::details-content{content-visibility:visible;block-size:auto}}
        @page{margin:14mm}
        """
}
