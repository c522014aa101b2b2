# The search site in a container: `docker build -t learn2search .`, then
# `docker run -p 8000:8000 -v learn2search:/data -v ./pictures:/pictures:ro learn2search serve /pictures`.
FROM python:3.13-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN uv venv /opt/learn2search \
 && uv pip install --no-cache --python /opt/learn2search --constraint constraints.txt ".[web,s3]"

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data learn2search \
 && install --directory --owner=learn2search /data /opt/compiled
COPY --from=build /opt/learn2search /opt/learn2search
ENV PATH=/opt/learn2search/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/opt/compiled \
    LEARN2SEARCH_HOME=/data
USER learn2search
# Compiled here, for the processor that builds; on another kind of processor the first start compiles anew.
RUN learn2search warm-up
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=180s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["learn2search"]
CMD ["serve", "--host", "0.0.0.0", "--no-browser"]
